import type { Hex } from 'viem';
import type { ApiClient } from './api-client';
import type { DemoWallet } from './wallet';

/** The inputs of both demos: a client of the service, a wallet with funds, and the tokens to swap. */
export interface DemoSwap {
  readonly api: ApiClient;
  readonly wallet: DemoWallet;
  readonly pair: {
    readonly chain: string;
    readonly tokenIn: Hex;
    readonly tokenOut: Hex;
    /** Base units of `tokenIn`. */
    readonly amountIn: string;
    readonly symbolOut: string;
    readonly decimalsOut: number;
  };
}
