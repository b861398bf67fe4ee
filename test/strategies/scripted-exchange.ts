import { getAddress, type Hex, keccak256, numberToHex, stringToHex } from 'viem';
import type { StockOrder } from '../../src/strategies/stocks/stock-order';
import type { MinedTransaction, StockVenue } from '../../src/strategies/stocks/stock-venue';

/** State of one order on the scripted chain. */
export interface ExchangedOrder {
  balance: bigint;
  isInvalid: boolean;
  isPosted: boolean;
  /** Block of the fill, which may not be final yet. */
  filledAt: number | undefined;
  invalidAt: number | undefined;
  refunds: number;
}

/**
 * A chain and order book in memory. Each change is atomic, as a transaction is. `block` counts calls: a change is final two
 * blocks later.
 */
export class ScriptedExchange {
  readonly orders = new Map<string, ExchangedOrder>();
  block = 10;
  /** Unix seconds; follows the real time unless set. */
  time: bigint | undefined;
  refusal: { readonly code: string; readonly message: string; readonly mayRetry: boolean } | undefined;
  isDown = false;
  hasGasPrice = true;

  order(actionId: string): ExchangedOrder {
    const known = this.orders.get(actionId);
    if (known !== undefined) return known;
    const fresh = {
      balance: 0n,
      isInvalid: false,
      isPosted: false,
      filledAt: undefined,
      invalidAt: undefined,
      refunds: 0,
    };
    this.orders.set(actionId, fresh);
    return fresh;
  }

  fund(order: Pick<StockOrder, 'actionId' | 'sellAmount'>): void {
    this.order(order.actionId).balance = order.sellAmount;
  }

  /** A solver settles the order, unless it is invalid, filled, or its wallet is empty. */
  fill({ actionId, sellAmount }: Pick<StockOrder, 'actionId' | 'sellAmount'>): boolean {
    const order = this.order(actionId);
    if (order.isInvalid || order.filledAt !== undefined || order.balance < sellAmount) return false;
    order.balance -= sellAmount;
    order.filledAt = this.block;
    return true;
  }

  readonly venue: StockVenue = {
    walletOf: (actionId) => getAddress(keccak256(stringToHex(actionId)).slice(0, 42)),
    uidOf: ({ actionId }) => keccak256(stringToHex(`order ${actionId}`)),
    blockNumber: () => this.respond(() => BigInt(this.block)),
    readState: (order) =>
      this.respond(() => {
        const { balance, filledAt, invalidAt } = this.order(order.actionId);
        const usedAt = filledAt ?? invalidAt;
        const time = this.time ?? BigInt(Math.trunc(Date.now() / 1000));
        const isUsed = usedAt !== undefined;
        const finalBlock = BigInt(this.block - 2);
        return { finalBlock, balance, isUsed, isUsedFinally: this.isFinal(usedAt), latestTime: time, finalTime: time };
      }),
    finalBalances: (orders) => this.respond(() => orders.map(({ actionId }) => this.order(actionId).balance)),
    orderGasObstacle: () => this.respond(() => undefined),
    isWorthGas: ({ sellAmount }, amount) =>
      this.respond(() => (this.hasGasPrice ? amount * 10n >= sellAmount : undefined)),
    prepare: () => this.respond(() => 'ready' as const),
    post: ({ actionId }) =>
      this.respond(() => {
        if (this.refusal !== undefined) return this.refusal;
        this.order(actionId).isPosted = true;
        return { quoteId: 7n };
      }),
    isPosted: ({ actionId }) => this.respond(() => this.order(actionId).isPosted),
    findFill: (order) =>
      this.respond(() => {
        const { filledAt } = this.order(order.actionId);
        if (filledAt === undefined || !this.isFinal(filledAt)) return { fill: undefined, next: BigInt(this.block) };
        const { sellAmount, buyAmount } = order;
        return { fill: { ...mined(`fill ${order.actionId}`, filledAt), sellAmount, buyAmount } };
      }),
    invalidate: ({ actionId }) =>
      this.respond(() => {
        const order = this.order(actionId);
        if (order.filledAt !== undefined) return this.isFinal(order.filledAt) ? 'filled' : 'waiting';
        order.isInvalid = true;
        order.invalidAt ??= this.block;
        return this.isFinal(order.invalidAt) ? 'invalid' : 'waiting';
      }),
    refund: ({ actionId, sellAmount }) =>
      this.respond(() => {
        const order = this.order(actionId);
        if (order.balance > 0n) {
          order.balance = 0n;
          order.refunds += 1;
          return { kind: 'sent' as const, txHash: hashOf(`refund ${actionId}`) };
        }
        return { kind: 'done' as const, mined: mined(`refund ${actionId}`, this.block), amount: sellAmount };
      }),
    sweep: () => this.respond(() => 'done' as const),
  };

  private isFinal(block: number | undefined): boolean {
    return block !== undefined && this.block >= block + 2;
  }

  /** Every request takes a moment, in which others are handled. */
  private async respond<Result>(result: () => Result): Promise<Result> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isDown) throw new Error('the chain does not respond');
    this.block += 1;
    const value = result();
    await new Promise((resolve) => setImmediate(resolve));
    return value;
  }
}

const hashOf = (text: string): Hex => keccak256(stringToHex(text));

const mined = (text: string, block: number): MinedTransaction => ({
  txHash: hashOf(text),
  blockNumber: BigInt(block),
  blockHash: numberToHex(block, { size: 32 }),
  timestamp: BigInt(Math.trunc(Date.now() / 1000)),
});
