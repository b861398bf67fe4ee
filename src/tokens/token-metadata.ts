/** Flaws of the texts of a token contract, before they are sanitized. */
export const TEXT_FLAWS = ['hiddenCharacters', 'noSymbol', 'noName'] as const;
export type TextFlaw = (typeof TEXT_FLAWS)[number];

/** Metadata of a token contract, sanitized for display. */
export interface TokenMetadata {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Empty without flaws; absent when unknown. */
  readonly flaws?: readonly TextFlaw[];
}

/** Reads token metadata from chains. */
export interface TokenMetadataReader {
  /** `undefined` when there is no token at the address. @throws PROVIDER_UNAVAILABLE when the chain is unavailable. */
  read(chainId: number, address: string): Promise<TokenMetadata | undefined>;
}

/** Stores token metadata, so that each token is read once. */
export interface TokenMetadataStore {
  /** By address. One query. */
  find(chainId: number, addresses: readonly string[]): Promise<ReadonlyMap<string, TokenMetadata>>;
  /** Replaces what is stored. */
  save(token: TokenMetadata & { readonly chainId: number; readonly address: string }): Promise<void>;
}
