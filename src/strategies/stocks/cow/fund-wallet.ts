import type { Hex } from 'viem';
import type { Rpc } from '../../../rpc/rpc';
import { requestReceipt } from '../../../rpc/search-logs';
import type { ServiceSending, ServiceWallet } from '../../../rpc/service-wallet';
import type { StockOrder } from '../stock-order';
import type { Obstacle } from '../stock-venue';
import type { FinalityDeps } from './final-block';

/** Gas units of the calls of an order wallet, with a margin for unusual tokens. */
export const GAS = { approve: 120_000n, invalidate: 100_000n, transfer: 200_000n, coin: 21_000n } as const;
/** All calls of an order, each once. */
const GAS_OF_ORDER = GAS.approve + GAS.invalidate + GAS.transfer + GAS.coin;
/** Fees may rise until the last call. */
const withMargin = (fee: bigint): bigint => (fee * 3n) / 2n;
const PURPOSE = 'order-gas';
/** Payments for one order. More than one is needed when fees rise beyond the margin, or calls revert. */
const MAX_PAYMENTS = 3;

const OBSTACLES: Readonly<Record<Exclude<ServiceSending, { readonly txHash: Hex }>, string>> = {
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
}

interface Shortage {
  /** What the wallet needs, in wei. */
  readonly needed: bigint;
  /**
   * Maximum cost of the gas that is given, in millionths of a US dollar; it also counts against the customer's budget for
   * completions. Without it gas is given at any cost: for calls that return tokens of a user.
   */
  readonly maxGasMicroUsd?: bigint | undefined;
  readonly signal: AbortSignal;
}

/**
 * Gives an order wallet gas for all of its calls: `waiting` until it has arrived. A bounded number of payments for each order.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function fundWallet(
  { rpc, serviceWallet }: FundingDeps,
  order: StockOrder,
  { needed, maxGasMicroUsd, signal }: Shortage,
): Promise<'waiting' | Obstacle> {
  const { customerId, actionId, chainId, orderWallet: to } = order;
  const { maxFeePerGas } = await rpc.feeData(chainId);
  const value = withMargin(GAS_OF_ORDER * maxFeePerGas);
  const call = { chainId, to, data: '0x' as const, value };
  for (let payment = 1; payment <= MAX_PAYMENTS; payment += 1) {
    const purpose = payment === 1 ? PURPOSE : `${PURPOSE}-${String(payment)}`;
    const sending = await serviceWallet.send({
      customerId,
      actionId,
      purpose,
      call,
      maxGasMicroUsd,
      givesGas: true,
      signal,
    });
    if (typeof sending === 'string') return { obstacle: OBSTACLES[sending] };
    const receipt = await requestReceipt(rpc, { chainId, txHash: sending.txHash });
    // The payment may have been mined after the balance was read.
    if (receipt?.status !== 'success' || (await readCoin(rpc, order)) >= needed) return 'waiting';
  }
  return { obstacle: USED_UP };
}

/** Native coin of an order wallet, in wei. */
export const readCoin = (rpc: Rpc, { chainId, orderWallet: address }: StockOrder): Promise<bigint> =>
  rpc.request(chainId, (client) => client.getBalance({ address }));
