/** Values of the examples in GraphiQL and the API reference: a trade that this deployment can price. */
export interface ExampleValues {
  readonly chain: string;
  readonly chainId: number;
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** In base units of `tokenIn`. */
  readonly amountIn: string;
  readonly wallet: string;
  /** Receives transfers; never `wallet`. */
  readonly recipient: string;
  /** API key that the pages open with, readable by every visitor. */
  readonly apiKey?: string | undefined;
}

/** Values on a main network. */
export const DEFAULT_EXAMPLE: ExampleValues = {
  chain: 'base',
  chainId: 8453,
  tokenIn: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  tokenOut: '0x4200000000000000000000000000000000000006',
  amountIn: '5000000',
  wallet: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  recipient: '0xb8c2C29ee19D8307cb7255e1Cd9CbDE883A267d5',
};
