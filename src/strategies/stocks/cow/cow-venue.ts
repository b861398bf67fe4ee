import { type Address, encodeFunctionData, erc20Abi, type Hex, isAddressEqual, maxUint256, parseEventLogs } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Logger } from 'pino';
import { amountReceived } from '../../../actions/amounts/moved-amounts';
import type { ChainTable } from '../../../chains/chain-table';
import { maxBigInt } from '../../../money/min-max';
import { readHoldings } from '../../../rpc/erc20';
import type { Rpc } from '../../../rpc/rpc';
import { requestReceipt, searchLogs } from '../../../rpc/search-logs';
import type { ServiceSending, ServiceWallet } from '../../../rpc/service-wallet';
import { NATIVE_TOKEN } from '../../../chains/addresses';
import { orderWalletOf, sendFromWallet, type WalletCall } from '../order-wallet';
import type { StockOrder } from '../stock-order';
import type { MinedTransaction, OrderFill, StockVenue } from '../stock-venue';
import { COW_SETTLEMENT, COW_VAULT_RELAYER, orderUidOf, SETTLEMENT_ABI, typedOrder } from './cow-order';
import type { OrderBook } from './order-book';

export interface CowVenueDeps {
  readonly rpc: Rpc;
  readonly chains: ChainTable;
  readonly book: OrderBook;
  /** Pays for the gas of the order wallets. */
  readonly serviceWallet: ServiceWallet;
  /** The keys of the order wallets are derived from it; hexadecimal. */
  readonly secret: string;
  readonly log: Pick<Logger, 'warn'>;
}

/** Gas units of the calls of an order wallet, with a margin for unusual tokens. */
const GAS = { approve: 120_000n, invalidate: 100_000n, transfer: 200_000n, coin: 21_000n } as const;
/** All calls of an order, each once. */
const GAS_OF_ORDER = GAS.approve + GAS.invalidate + GAS.transfer + GAS.coin;
/** Fees may rise until the last call. */
const FEE_MARGIN = 3n;
const FUNDING = 'order-gas';

const OBSTACLES: Readonly<Record<Exclude<ServiceSending, { readonly txHash: Hex }>, string>> = {
  unfunded: 'The wallet of the service has too little of the native coin',
  refused: 'The order wallet could not be given gas',
  unaffordable: 'The gas costs more than the service pays',
  exhausted: 'The budget of the customer is exhausted',
  unpriced: 'The native coin has no price at the moment',
  busy: 'The wallet of the service has many pending transactions on the chain',
};

/** Orders at CoW Protocol. */
export function createCowVenue(deps: CowVenueDeps): StockVenue {
  const { rpc } = deps;
  return {
    walletOf: (actionId) => orderWalletOf(deps.secret, actionId).address,
    uidOf: orderUidOf,
    blockNumber: (chainId) => rpc.blockNumber(chainId),
    readState: (order) => readState(deps, order),
    prepare: (order, signal) => prepare(deps, order, signal),
    async post(order, signal) {
      const { sellToken, buyToken, sellAmount, orderWallet: from } = order;
      const quote = await deps.book.quote({ sellToken, buyToken, sellAmount, from }, signal);
      const quoteId = 'buyAmount' in quote ? quote.id : undefined;
      const signature = await accountOf(deps, order).signTypedData(typedOrder(order));
      return (await deps.book.post(order, { signature, quoteId }, signal)) ?? { quoteId };
    },
    isPosted: (order, signal) => deps.book.has(orderUidOf(order), signal),
    findFill: (order, signal) => findFill(deps, order, signal),
    invalidate: (order) => invalidate(deps, order),
    refund: (order) => refund(deps, order),
    sweep: (order) => sweep(deps, order),
  };
}

const accountOf = ({ secret }: CowVenueDeps, { actionId }: StockOrder): PrivateKeyAccount =>
  orderWalletOf(secret, actionId);

const send = (deps: CowVenueDeps, order: StockOrder, call: WalletCall): Promise<Hex | undefined> =>
  sendFromWallet(deps, { account: accountOf(deps, order), chainId: order.chainId }, call);

/** The newest final block; block 0 of a chain that is younger than its confirmations. */
async function finalBlock({ rpc, chains }: CowVenueDeps, chainId: number): Promise<{ latest: bigint; final: bigint }> {
  const latest = await rpc.blockNumber(chainId);
  return { latest, final: maxBigInt(0n, latest - BigInt(chains.get(chainId).confirmations)) };
}

async function readState(deps: CowVenueDeps, order: StockOrder) {
  const { rpc } = deps;
  const { chainId } = order;
  const { latest, final } = await finalBlock(deps, chainId);
  const [used, usedFinally, balance, latestTime, finalTime] = await Promise.all([
    readFilled(rpc, order, latest),
    readFilled(rpc, order, final),
    readBalance(rpc, order, latest),
    readTime(rpc, chainId, latest),
    readTime(rpc, chainId, final),
  ]);
  return { latestTime, finalTime, balance, isUsed: used > 0n, isUsedFinally: usedFinally > 0n };
}

const readTime = (rpc: Rpc, chainId: number, blockNumber: bigint): Promise<bigint> =>
  rpc.request(chainId, async (client) => (await client.getBlock({ blockNumber })).timestamp);

const readFilled = (rpc: Rpc, order: StockOrder, blockNumber: bigint): Promise<bigint> =>
  rpc.request(order.chainId, (client) =>
    client.readContract({
      address: COW_SETTLEMENT,
      abi: SETTLEMENT_ABI,
      functionName: 'filledAmount',
      args: [orderUidOf(order)],
      blockNumber,
    }),
  );

const readBalance = (rpc: Rpc, { chainId, sellToken, orderWallet }: StockOrder, blockNumber: bigint): Promise<bigint> =>
  rpc.request(chainId, (client) =>
    client.readContract({
      address: sellToken,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [orderWallet],
      blockNumber,
    }),
  );

async function prepare(deps: CowVenueDeps, order: StockOrder, signal: AbortSignal) {
  const { rpc } = deps;
  const { chainId, sellToken, orderWallet: owner, sellAmount } = order;
  const [held, coin] = await readHoldings(
    { rpc, chainId },
    [
      { token: sellToken, owner, spender: COW_VAULT_RELAYER },
      { token: NATIVE_TOKEN, owner },
    ],
    { signal },
  );
  if ((held?.allowance ?? 0n) >= sellAmount) return 'ready';
  const { maxFeePerGas } = await rpc.feeData(chainId);
  if ((coin?.balance ?? 0n) < GAS.approve * maxFeePerGas) return fund(deps, order, signal);
  const args = [COW_VAULT_RELAYER, sellAmount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  await send(deps, order, { to: sellToken, data, value: 0n, gas: GAS.approve });
  return 'waiting';
}

/** The service gives each order wallet gas once. */
async function fund({ rpc, serviceWallet }: CowVenueDeps, order: StockOrder, signal: AbortSignal) {
  const { customerId, actionId, chainId, orderWallet: to } = order;
  const { maxFeePerGas } = await rpc.feeData(chainId);
  const value = GAS_OF_ORDER * maxFeePerGas * FEE_MARGIN;
  const call = { chainId, to, data: '0x' as const, value };
  const sending = await serviceWallet.send({ customerId, actionId, purpose: FUNDING, call, signal });
  return typeof sending === 'string' ? { obstacle: OBSTACLES[sending] } : 'waiting';
}

async function findFill(deps: CowVenueDeps, order: StockOrder, signal: AbortSignal): Promise<OrderFill | undefined> {
  for (const txHash of await deps.book.settlements(orderUidOf(order), signal)) {
    const fill = await fillIn(deps, order, txHash);
    if (fill !== undefined) return fill;
  }
  const { rpc } = deps;
  const { chainId, orderWallet: owner, fromBlock = 0n } = order;
  const { found } = await searchLogs(rpc, {
    chainId,
    fromBlock,
    async find(client, range) {
      const event = { abi: SETTLEMENT_ABI, eventName: 'Trade', args: { owner }, strict: true } as const;
      const logs = await client.getContractEvents({ address: COW_SETTLEMENT, ...event, ...range });
      return logs.find(({ args }) => args.orderUid.toLowerCase() === orderUidOf(order))?.transactionHash;
    },
  });
  return found === undefined ? undefined : fillIn(deps, order, found);
}

/** The settlement of the order in a transaction that is final. */
async function fillIn(deps: CowVenueDeps, order: StockOrder, txHash: Hex): Promise<OrderFill | undefined> {
  const { chainId } = order;
  const receipt = await requestReceipt(deps.rpc, { chainId, txHash });
  if (receipt?.status !== 'success') return undefined;
  const logs = receipt.logs.filter(({ address }) => isAddressEqual(address, COW_SETTLEMENT));
  const trade = parseEventLogs({ abi: SETTLEMENT_ABI, eventName: 'Trade', logs }).find(
    ({ args }) => args.orderUid.toLowerCase() === orderUidOf(order),
  );
  const { final } = await finalBlock(deps, chainId);
  if (trade === undefined || receipt.blockNumber > final) return undefined;
  const { sellAmount, buyAmount } = trade.args;
  return { ...(await minedOf(deps.rpc, chainId, receipt)), sellAmount, buyAmount };
}

async function minedOf(
  rpc: Rpc,
  chainId: number,
  { transactionHash, blockNumber, blockHash }: { transactionHash: Hex; blockNumber: bigint; blockHash: Hex },
): Promise<MinedTransaction> {
  return { txHash: transactionHash, blockNumber, blockHash, timestamp: await readTime(rpc, chainId, blockNumber) };
}

/**
 * The contract also marks a filled order as invalid, so that the mark alone does not show which was first: a fill takes all
 * tokens from the wallet, an invalid order none.
 */
async function invalidate(deps: CowVenueDeps, order: StockOrder): Promise<'invalid' | 'filled' | 'waiting'> {
  const { rpc } = deps;
  const { latest, final } = await finalBlock(deps, order.chainId);
  const [filled, filledFinally] = [await readFilled(rpc, order, latest), await readFilled(rpc, order, final)];
  if (filledFinally === maxUint256) {
    return (await readBalance(rpc, order, final)) >= order.sellAmount ? 'invalid' : 'filled';
  }
  if (filledFinally > 0n) return 'filled';
  if (filled > 0n) return 'waiting';
  const args = [orderUidOf(order)] as const;
  const data = encodeFunctionData({ abi: SETTLEMENT_ABI, functionName: 'invalidateOrder', args });
  await send(deps, order, { to: COW_SETTLEMENT, data, value: 0n, gas: GAS.invalidate });
  return 'waiting';
}

async function refund(deps: CowVenueDeps, order: StockOrder): Promise<Awaited<ReturnType<StockVenue['refund']>>> {
  const { rpc } = deps;
  const { refundTxHash: txHash, chainId, owner, sellToken: token, sellAmount } = order;
  const { latest, final } = await finalBlock(deps, chainId);
  const receipt = txHash === undefined ? undefined : await requestReceipt(rpc, { chainId, txHash });
  if (receipt?.status === 'success') {
    if (receipt.blockNumber > final) return { kind: 'waiting' };
    const effects = { to: receipt.to, value: 0n, logs: receipt.logs };
    const amount = amountReceived(effects, { token, owner, wrappedNative: undefined }) ?? sellAmount;
    return { kind: 'done', mined: await minedOf(rpc, chainId, receipt), amount };
  }
  if ((await readBalance(rpc, order, latest)) > 0n) return returnTokens(deps, order);
  const isGone = (await readBalance(rpc, order, final)) === 0n;
  return isGone ? { kind: 'done', mined: undefined, amount: sellAmount } : { kind: 'waiting' };
}

/** Sends all tokens of the wallet to the owner. A wallet that never got gas gets it first. */
async function returnTokens(deps: CowVenueDeps, order: StockOrder) {
  const { rpc } = deps;
  const { chainId, sellToken, owner, orderWallet } = order;
  const [held, coin] = await readHoldings({ rpc, chainId }, [
    { token: sellToken, owner: orderWallet },
    { token: NATIVE_TOKEN, owner: orderWallet },
  ]);
  const { maxFeePerGas } = await rpc.feeData(chainId);
  if ((coin?.balance ?? 0n) < GAS.transfer * maxFeePerGas) {
    await fund(deps, order, AbortSignal.timeout(FUND_TIMEOUT_MS));
    return { kind: 'waiting' } as const;
  }
  const args = [owner, held?.balance ?? 0n] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  const txHash = await send(deps, order, { to: sellToken, data, value: 0n, gas: GAS.transfer });
  return txHash === undefined ? ({ kind: 'waiting' } as const) : ({ kind: 'sent', txHash } as const);
}

const FUND_TIMEOUT_MS = 20_000;

async function sweep(deps: CowVenueDeps, order: StockOrder): Promise<'done' | 'waiting'> {
  const { rpc, serviceWallet } = deps;
  const { chainId, sellToken, orderWallet } = order;
  const [held, coin] = await readHoldings({ rpc, chainId }, [
    { token: sellToken, owner: orderWallet },
    { token: NATIVE_TOKEN, owner: orderWallet },
  ]);
  const fee = GAS.coin * (await rpc.feeData(chainId)).maxFeePerGas;
  const left = coin?.balance ?? 0n;
  if ((held?.balance ?? 0n) > 0n) return (await returnTokens(deps, order), 'waiting');
  if (left < 3n * fee) return 'done';
  const to: Address = serviceWallet.address;
  await send(deps, order, { to, data: '0x', value: left - fee, gas: GAS.coin });
  return 'waiting';
}
