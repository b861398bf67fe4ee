/** A token of one chain. */
export interface Token {
  readonly chainId: number;
  /** Checksummed EVM address, Solana mint, or a fiat literal (`BRL`, `USD`). The native coin keeps NATIVE_TOKEN. */
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly logoURI: string | undefined;
}
