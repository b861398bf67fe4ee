/** A kind of wallet that accounts have at the ramp. */
export type WalletKind = 'EVM' | 'SOLANA';

/** A local chain on which the ramp pays out tokens and holds the wallets of its accounts. Amounts are millionths. */
export interface PayingChain {
  /** Which of a person's wallets takes tokens here. */
  readonly walletKind: WalletKind;
  /** Symbols of the tokens that the ramp deals in here. */
  readonly symbols: ReadonlySet<string>;
  isAddress(text: string): boolean;
  balanceOf(symbol: string, wallet: string): Promise<bigint>;
  /** Hash of the transaction that paid. @throws DevnetError */
  pay(symbol: string, to: string, amount: bigint): Promise<string>;
}
