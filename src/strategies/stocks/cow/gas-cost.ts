import type { MicroUsd } from '../../../money/usd';
import type { GasPricer } from '../../../prices/gas-pricer';
import type { Rpc } from '../../../rpc/rpc';
import type { StockOrder } from '../stock-order';
import { GAS, GAS_OF_ORDER, OBSTACLES, withFeeMargin } from './fund-wallet';

export interface OrderGasDeps {
  readonly rpc: Pick<Rpc, 'feeData'>;
  readonly priceGas: GasPricer;
}

/**
 * Why the service would not pay for the gas of a new order now: a sentence; `undefined` when it would.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function orderGasObstacle(
  { rpc, priceGas, maxOrderGasUsd }: OrderGasDeps & { readonly maxOrderGasUsd: MicroUsd },
  chainId: number,
): Promise<string | undefined> {
  const { maxFeePerGas } = await rpc.feeData(chainId);
  // What the wallet is given, and the transaction that gives it.
  const cost = await priceGas(chainId, withFeeMargin(GAS_OF_ORDER * maxFeePerGas) + 2n * GAS.coin * maxFeePerGas);
  if (cost === undefined) return OBSTACLES.unpriced;
  return cost > maxOrderGasUsd ? OBSTACLES.unaffordable : undefined;
}

/**
 * Whether tokens in the wallet of an order are worth the gas that returns them; `undefined` while the gas has no price.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function isWorthGas(
  { rpc, priceGas }: OrderGasDeps,
  { chainId, sellMicroUsd, sellAmount }: StockOrder,
  balance: bigint,
): Promise<boolean | undefined> {
  const { maxFeePerGas } = await rpc.feeData(chainId);
  // The wallet is given gas, returns the tokens, and returns the rest of the coin.
  const cost = await priceGas(chainId, (GAS.transfer + 2n * GAS.coin) * maxFeePerGas);
  return cost === undefined ? undefined : (sellMicroUsd * balance) / sellAmount >= cost;
}
