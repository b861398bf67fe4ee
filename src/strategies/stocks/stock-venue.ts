import type { Address, Hex } from 'viem';
import type { StockOrder } from './stock-order';

/** A mined transaction. */
export interface MinedTransaction {
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  /** Unix seconds. */
  readonly timestamp: bigint;
}

/** A settlement that is final. */
export interface OrderFill extends MinedTransaction {
  readonly sellAmount: bigint;
  readonly buyAmount: bigint;
}

/** State of an order on its chain. */
export interface OrderState {
  readonly finalBlock: bigint;
  /** Time of the newest final block, in Unix seconds. */
  readonly finalTime: bigint;
  /** Time of the newest block, in Unix seconds. */
  readonly latestTime: bigint;
  /** What the order wallet holds of the token sold at the newest final block. */
  readonly balance: bigint;
  /** True when a settlement, final or not, has filled the order, or the order is invalid. */
  readonly isUsed: boolean;
  /** The same at the newest final block. */
  readonly isUsedFinally: boolean;
}

/** A refusal of the order book. */
export interface PostRefusal {
  /** Code of the order book; `undefined` when it did not respond. */
  readonly code: string | undefined;
  readonly message: string;
  /** False when the same order would be refused again. */
  readonly mayRetry: boolean;
}

/** A sentence about why a transaction of an order wallet cannot be sent now. */
export interface Obstacle {
  readonly obstacle: string;
}

/**
 * Where orders are filled, and the wallets that own them: CoW Protocol on the chain of the strategy. Each wallet belongs to one
 * order, and one replica at a time acts for it. Every function may be repeated: what was done before is read from the chain.
 *
 * Every function throws PROVIDER_UNAVAILABLE when the chain does not respond.
 */
export interface StockVenue {
  /** Wallet of the order of an action. */
  walletOf(actionId: string): Address;
  readState(order: StockOrder): Promise<OrderState>;
  /** What the wallets of orders on one chain hold of the tokens sold, at the newest final block; `undefined` when unreadable. */
  finalBalances(orders: readonly StockOrder[]): Promise<readonly (bigint | undefined)[]>;
  /** A sentence about why the gas of a new order would not be paid now; `undefined` when it would. */
  orderGasObstacle(chainId: number): Promise<string | undefined>;
  /** Whether an amount of the token sold is worth the gas of its return; `undefined` while the gas has no price. */
  isWorthGas(order: StockOrder, amount: bigint): Promise<boolean | undefined>;
  /** Gives the wallet gas and allows the tokens to be taken: `ready` once both are mined; a sentence for an obstacle. */
  prepare(order: StockOrder, signal: AbortSignal): Promise<'ready' | 'waiting' | Obstacle>;
  /** Id of the order, the same on every call. */
  uidOf(order: StockOrder): Hex;
  blockNumber(chainId: number): Promise<bigint>;
  /** Posts the signed order. `undefined` when it is in the order book, also when it was before. */
  post(order: StockOrder, signal: AbortSignal): Promise<{ readonly quoteId: bigint | undefined } | PostRefusal>;
  /** `undefined` when the order book did not say. */
  isPosted(order: StockOrder, signal: AbortSignal): Promise<boolean | undefined>;
  /**
   * The final settlement of the order. Searches a bounded number of blocks from `fromBlock` of the order: without a result,
   * `next` is the first one that was not searched.
   */
  findFill(
    order: StockOrder,
    signal: AbortSignal,
  ): Promise<{ readonly fill: OrderFill } | { readonly fill: undefined; readonly next: bigint }>;
  /**
   * Makes the order invalid: `invalid` once that is final, and no settlement came before; `filled` when one did; `waiting`
   * while neither is final. `next` while earlier settlements are searched: the first block that was not, for `fromBlock` of
   * the next call.
   */
  invalidate(order: StockOrder): Promise<'invalid' | 'filled' | 'waiting' | { readonly next: bigint } | Obstacle>;
  /** Returns the tokens of the wallet to its owner. `sent` names the transaction before it is final. */
  refund(order: StockOrder): Promise<
    | { readonly kind: 'waiting' }
    | ({ readonly kind: 'blocked' } & Obstacle)
    | { readonly kind: 'sent'; readonly txHash: Hex }
    /** A final transaction has returned the amount. */
    | { readonly kind: 'done'; readonly mined: MinedTransaction; readonly amount: bigint }
    /** The wallet has no tokens that are worth their return, and no transaction has returned any. */
    | { readonly kind: 'empty' }
  >;
  /** Returns left-over tokens to the owner and left-over gas to the service: `done` once nothing is worth its transfer. */
  sweep(order: StockOrder): Promise<'done' | 'waiting' | Obstacle>;
}
