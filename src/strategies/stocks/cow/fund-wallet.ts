import type { Hex } from 'viem';
import type { Rpc } from '../../../rpc/rpc';
import { requestReceipt } from '../../../rpc/search-logs';
import type { ServiceSending, ServiceWallet } from '../../../rpc/service-wallet';
import type { StockOrder } from '../stock-order';
import type { Obstacle } from '../stock-venue';
import type { WalletCallStore } from '../wallet-call-store';
import { type FinalityDeps, readFinalBlock } from './final-block';

/** Gas units of the calls of an order wallet, with a margin for unusual tokens. */
export const GAS = { approve: 120_000n, invalidate: 100_000n, transfer: 200_000n, coin: 21_000n } as const;
/** All calls of an order, each once. */
export const GAS_OF_ORDER = GAS.approve + GAS.invalidate + GAS.transfer + GAS.coin;
/** Fees may rise until the last call. */
export const withFeeMargin = (fee: bigint): bigint => (fee * 3n) / 2n;
const PURPOSE = 'order-gas';
/** Payments for one order. More than one is needed when fees rise beyond the margin, or calls revert. */
const MAX_PAYMENTS = 3;

export const OBSTACLES: Readonly<Record<Exclude<ServiceSending, { readonly txHash: Hex }>, string>> = {
  unfunded: 'The wallet of the service has too little of the native coin',
  refused: 'The order wallet could not be given gas',
  unaffordable: 'The gas costs more than the service pays',
  exhausted: 'The budget of the customer is exhausted',
  unpriced: 'The native coin has no price at the moment',
  busy: 'The wallet of the service has many pending transactions on the chain',
};
const USED_UP = 'The order wallet has used all gas that the service gives to an order';

export interface FundingDeps extends FinalityDeps {
  /** Pays for the gas of the order wallets. */
  readonly serviceWallet: ServiceWallet;
  readonly calls: Pick<WalletCallStore, 'gasGiven'>;
}

interface Shortage {
  /** What the wallet needs, in wei. */
  readonly needed: bigint;
  /**
   * Maximum cost of all gas that the wallet is given, in millionths of a US dollar. Without it gas is given at any cost, and
   * beyond the budget of the customer for completions: for calls that return tokens of a user. All of it counts against that budget.
   */
  readonly maxGasMicroUsd?: bigint | undefined;
  readonly signal: AbortSignal;
}

/**
 * Gives an order wallet what it needs, and gas to return the rest: `waiting` until it has arrived. A bounded number of payments
 * for each order, each only once the one before is final and was not enough.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function fundWallet(
  deps: FundingDeps,
  order: StockOrder,
  { needed, maxGasMicroUsd: maximum, signal }: Shortage,
): Promise<'waiting' | Obstacle> {
  const { rpc, serviceWallet, calls } = deps;
  const { customerId, actionId, chainId, orderWallet: to } = order;
  const { latest, final } = await readFinalBlock(deps, chainId);
  const { maxFeePerGas } = await rpc.feeData(chainId);
  const call = { chainId, to, data: '0x' as const, value: withFeeMargin(needed + GAS.coin * maxFeePerGas) };
  const maxGasMicroUsd = maximum === undefined ? undefined : maximum - (await calls.gasGiven(order));
  // A node that is behind shows no receipt of a payment whose nonce is used: another one would pay again. Without any, a payment
  // that lost its nonce would leave the tokens in the wallet for good.
  const { confirmations } = deps.chains.get(chainId);
  const request = {
    customerId,
    actionId,
    call,
    maxGasMicroUsd,
    isCounted: true,
    givesGas: true,
    confirmations,
    repeatsLost: true,
    signal,
  };
  for (let payment = 1; payment <= MAX_PAYMENTS; payment += 1) {
    const purpose = payment === 1 ? PURPOSE : `${PURPOSE}-${String(payment)}`;
    const sending = await serviceWallet.send({ ...request, purpose });
    if (typeof sending === 'string') return { obstacle: OBSTACLES[sending] };
    const receipt = await requestReceipt(rpc, { chainId, txHash: sending.txHash });
    if (receipt?.status !== 'success' || receipt.blockNumber > final) return 'waiting';
    // A node that is behind has no such block: a balance from before the payment would cause another one.
    if ((await readCoin(rpc, order, latest)) >= needed) return 'waiting';
  }
  return { obstacle: USED_UP };
}

/** Native coin of an order wallet in wei, at the latest block unless one is given. */
export const readCoin = (
  rpc: Rpc,
  { chainId, orderWallet: address }: StockOrder,
  blockNumber?: bigint,
): Promise<bigint> =>
  rpc.request(chainId, (client) =>
    client.getBalance(blockNumber === undefined ? { address } : { address, blockNumber }),
  );
