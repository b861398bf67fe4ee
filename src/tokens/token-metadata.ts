/** What a token contract says of itself, made safe to show. */
export interface TokenMetadata {
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** Asks the chain. */
export interface TokenMetadataReader {
  /** `undefined` when there is no token at the address. @throws PROVIDER_UNAVAILABLE when the chain could not be asked. */
  read(chainId: number, address: string): Promise<TokenMetadata | undefined>;
}

/** Keeps what chains said, so that they are asked once. */
export interface TokenMetadataStore {
  find(chainId: number, address: string): Promise<TokenMetadata | undefined>;
  save(token: TokenMetadata & { readonly chainId: number; readonly address: string }): Promise<void>;
}
