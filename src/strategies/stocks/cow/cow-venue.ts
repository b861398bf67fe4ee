import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  isAddressEqual,
  keccak256,
  maxUint256,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { amountReceived } from '../../../actions/amounts/moved-amounts';
import type { MicroUsd } from '../../../money/usd';
import type { GasPricer } from '../../../prices/gas-pricer';
import { readHoldings } from '../../../rpc/erc20';
import type { Rpc } from '../../../rpc/rpc';
import { requestReceipt, searchLogs } from '../../../rpc/search-logs';
import { orderWalletOf } from '../order-wallet';
import type { StockOrder } from '../stock-order';
import type { FillSearch, MinedTransaction, Obstacle, OrderFill, StockVenue } from '../stock-venue';
import { callFromWallet, type WalletCallDeps } from './call-from-wallet';
import { COW_SETTLEMENT, SETTLEMENT_ABI } from '../../cow-settlement';
import { COW_VAULT_RELAYER, orderUidOf, typedOrder } from './cow-order';
import { readFinalBlock } from './final-block';
import { GAS, OBSTACLES, readCoin } from './fund-wallet';
import { isWorthGas, orderGasObstacle } from './gas-cost';
import type { OrderBook } from './order-book';

export interface CowVenueDeps extends WalletCallDeps {
  readonly book: OrderBook;
  /** Maximum cost of the gas that an order wallet is given before its order is posted, in millionths of a US dollar. */
  readonly maxOrderGasUsd: MicroUsd;
  readonly priceGas: GasPricer;
}

/** Orders at CoW Protocol. */
export function createCowVenue(deps: CowVenueDeps): StockVenue {
  const { rpc } = deps;
  return {
    walletOf: (actionId) => orderWalletOf(deps.secret, actionId).address,
    uidOf: orderUidOf,
    blockNumber: (chainId) => rpc.blockNumber(chainId),
    readState: (order) => readState(deps, order),
    finalBalances: (orders) => finalBalances(deps, orders),
    orderGasObstacle: (chainId) => orderGasObstacle(deps, chainId),
    isWorthGas: (order, amount) => isWorthGas(deps, order, amount),
    prepare: (order, signal) => prepare(deps, order, signal),
    async post(order, signal) {
      const { sellToken, buyToken, sellAmount, orderWallet: from } = order;
      const quote = await deps.book.quote({ sellToken, buyToken, sellAmount, from }, signal);
      const quoteId = 'buyAmount' in quote ? quote.id : undefined;
      const signature = await accountOf(deps, order).signTypedData(typedOrder(order));
      return (await deps.book.post(order, { signature, quoteId }, signal)) ?? { quoteId };
    },
    isPosted: (order, signal) => deps.book.has(orderUidOf(order), signal),
    findFill: (order, signal) => findFill(deps, order, { signal }),
    invalidate: (order, search) => invalidate(deps, order, search),
    refund: (order) => refund(deps, order),
    sweep: (order) => sweep(deps, order),
  };
}

const accountOf = ({ secret }: CowVenueDeps, { actionId }: StockOrder): PrivateKeyAccount =>
  orderWalletOf(secret, actionId);

async function readState(deps: CowVenueDeps, order: StockOrder) {
  const { rpc } = deps;
  const { chainId } = order;
  const { latest, final } = await readFinalBlock(deps, chainId);
  const [used, usedFinally, balance, latestTime, finalTime] = await Promise.all([
    readFilled(rpc, order, latest),
    readFilled(rpc, order, final),
    readBalance(rpc, order, final),
    readTime(rpc, chainId, latest),
    readTime(rpc, chainId, final),
  ]);
  const isUsed = { isUsed: used > 0n, isUsedFinally: usedFinally > 0n };
  return { finalBlock: final, latestTime, finalTime, balance, ...isUsed };
}

async function finalBalances(deps: CowVenueDeps, orders: readonly StockOrder[]) {
  const [{ chainId } = { chainId: undefined }] = orders;
  if (chainId === undefined) return [];
  const { final: blockNumber } = await readFinalBlock(deps, chainId);
  const requests = orders.map(({ sellToken: token, orderWallet: owner }) => ({ token, owner }));
  const holdings = await readHoldings({ rpc: deps.rpc, chainId }, requests, { blockNumber });
  return holdings.map(({ balance }) => balance);
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
  const requests = [{ token: sellToken, owner, spender: COW_VAULT_RELAYER }];
  const [held] = await readHoldings({ rpc, chainId }, requests, { signal });
  if ((held?.allowance ?? 0n) >= sellAmount) return 'ready';
  const args = [COW_VAULT_RELAYER, sellAmount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  // Enough to invalidate the order and return the tokens as well. Coin of others in the wallet does not replace that.
  const reserve = GAS.invalidate + GAS.transfer;
  const maxGasMicroUsd = deps.maxOrderGasUsd;
  const call = { kind: 'approve', to: sellToken, data, value: 0n, reserve, maxGasMicroUsd, signal } as const;
  return pendingOf(await callFromWallet(deps, order, call));
}

/** A transaction that was sent has to be mined. */
const pendingOf = (sent: Awaited<ReturnType<typeof callFromWallet>>): 'waiting' | Obstacle =>
  typeof sent === 'object' && 'txHash' in sent ? 'waiting' : sent;

async function findFill(
  deps: CowVenueDeps,
  order: StockOrder,
  { isContinued = false, signal }: FillSearch & { readonly signal: AbortSignal },
): ReturnType<StockVenue['findFill']> {
  for (const txHash of isContinued ? [] : await deps.book.settlements(orderUidOf(order), signal)) {
    const fill = await fillIn(deps, order, txHash);
    if (fill !== undefined) return { fill };
  }
  const { rpc } = deps;
  const { chainId, orderWallet: owner, fromBlock = 0n } = order;
  const { found, next } = await searchLogs(rpc, {
    chainId,
    fromBlock,
    async find(client, range) {
      const event = { abi: SETTLEMENT_ABI, eventName: 'Trade', args: { owner }, strict: true } as const;
      const logs = await client.getContractEvents({ address: COW_SETTLEMENT, ...event, ...range });
      return logs.find(({ args }) => args.orderUid.toLowerCase() === orderUidOf(order))?.transactionHash;
    },
  });
  const fill = found === undefined ? undefined : await fillIn(deps, order, found);
  return fill === undefined ? { fill, next } : { fill };
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
  const { final } = await readFinalBlock(deps, chainId);
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
async function invalidate(
  deps: CowVenueDeps,
  order: StockOrder,
  search: FillSearch = {},
): ReturnType<StockVenue['invalidate']> {
  const { rpc } = deps;
  const { latest, final } = await readFinalBlock(deps, order.chainId);
  const [filled, filledFinally] = [await readFilled(rpc, order, latest), await readFilled(rpc, order, final)];
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  if (filledFinally === maxUint256) {
    // The wallet may have received the tokens twice, and hold them after a fill as well.
    const found = await findFill(deps, order, { ...search, signal });
    if (found.fill !== undefined) return 'filled';
    if (found.next <= final) return { next: found.next };
    return (await readBalance(rpc, order, final)) >= order.sellAmount ? 'invalid' : 'filled';
  }
  if (filledFinally > 0n) return 'filled';
  if (filled > 0n) return 'waiting';
  const args = [orderUidOf(order)] as const;
  const data = encodeFunctionData({ abi: SETTLEMENT_ABI, functionName: 'invalidateOrder', args });
  const reserve = GAS.transfer;
  const call = { kind: 'invalidate', to: COW_SETTLEMENT, data, value: 0n, reserve, signal } as const;
  return pendingOf(await callFromWallet(deps, order, call));
}

async function refund(deps: CowVenueDeps, order: StockOrder): ReturnType<StockVenue['refund']> {
  const { rpc } = deps;
  const { chainId, owner, sellToken: token } = order;
  const { latest, final } = await readFinalBlock(deps, chainId);
  const receipt = await refundReceipt(deps, order);
  if (receipt === undefined) return sendRefund(deps, order, { latest, final });
  if (receipt.blockNumber > final) return { kind: 'waiting' };
  const effects = { to: receipt.to, value: 0n, logs: receipt.logs };
  const amount = amountReceived(effects, { token, owner, wrappedNative: undefined }) ?? 0n;
  return { kind: 'done', mined: await minedOf(rpc, chainId, receipt), amount };
}

async function sendRefund(
  deps: CowVenueDeps,
  order: StockOrder,
  { latest, final }: { readonly latest: bigint; readonly final: bigint },
): ReturnType<StockVenue['refund']> {
  const { rpc } = deps;
  const [balance, finalBalance] = [await readBalance(rpc, order, latest), await readBalance(rpc, order, final)];
  if (finalBalance === 0n && balance === 0n) return { kind: 'empty' };
  // Tokens of a block that is not final may not stay.
  if (balance === 0n || finalBalance === 0n) return { kind: 'waiting' };
  // Strangers can send dust: its return would end the order.
  const isWorth = balance >= order.sellAmount || (await isWorthGas(deps, order, balance));
  if (isWorth === undefined) return { kind: 'waiting' };
  return isWorth ? returnTokens(deps, order, { kind: 'refund', balance }) : { kind: 'empty' };
}

/** The receipt of a refund that was mined without a revert; `undefined` while there is none. */
async function refundReceipt({ rpc, calls }: CowVenueDeps, order: StockOrder): Promise<TransactionReceipt | undefined> {
  const refunds = (await calls.all(order)).filter(({ kind }) => kind === 'refund');
  for (const raw of refunds.flatMap(({ raws }) => raws)) {
    const receipt = await requestReceipt(rpc, { chainId: order.chainId, txHash: keccak256(raw) });
    if (receipt?.status === 'success') return receipt;
  }
  return undefined;
}

/** Sends tokens of the wallet to the owner. */
async function returnTokens(
  deps: CowVenueDeps,
  order: StockOrder,
  { kind, balance }: { readonly kind: 'refund' | 'leftover'; readonly balance: bigint },
) {
  const { sellToken, owner } = order;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [owner, balance] });
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const sent = await callFromWallet(deps, order, { kind, to: sellToken, data, value: 0n, signal });
  if (sent === 'waiting') return { kind: 'waiting' } as const;
  return 'txHash' in sent ? ({ kind: 'sent', ...sent } as const) : ({ kind: 'blocked', ...sent } as const);
}

const CALL_TIMEOUT_MS = 20_000;

async function sweep(deps: CowVenueDeps, order: StockOrder): ReturnType<StockVenue['sweep']> {
  const { rpc, serviceWallet } = deps;
  const { chainId, sellToken, orderWallet } = order;
  const [held] = await readHoldings({ rpc, chainId }, [{ token: sellToken, owner: orderWallet }]);
  const balance = held?.balance;
  if (balance === undefined) return { hasTokens: true, obstacle: 'The tokens in the order wallet cannot be read' };
  const isWorth = balance > 0n && (await isWorthGas(deps, order, balance));
  if (isWorth === undefined) return { hasTokens: true, obstacle: OBSTACLES.unpriced };
  if (isWorth) {
    const returned = await returnTokens(deps, order, { kind: 'leftover', balance });
    return returned.kind === 'blocked' ? { hasTokens: true, obstacle: returned.obstacle } : { hasTokens: true };
  }
  const fee = GAS.coin * (await rpc.feeData(chainId)).maxFeePerGas;
  const left = await readCoin(rpc, order);
  if (left < 3n * fee) return 'done';
  const to: Address = serviceWallet.address;
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const call = { kind: 'sweep', to, data: '0x', value: left - fee, isFunded: false, signal } as const;
  const sent = pendingOf(await callFromWallet(deps, order, call));
  return { hasTokens: false, ...(sent === 'waiting' ? {} : sent) };
}
