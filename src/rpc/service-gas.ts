import type { GasCost } from '../persistence/gas-budgets';
import type { AllocatedGas } from '../persistence/service-transaction-store';
import { readL1DataFee } from './l1-data-fee';
import type { Rpc } from './rpc';
import { maxGasCost, serializeTerms, type TransactionTerms } from './transaction-terms';

export interface GasCostDeps {
  readonly rpc: Pick<Rpc, 'request'>;
  /** Cost of gas in millionths of a US dollar; `undefined` without a price. */
  readonly priceGas: (chainId: number, wei: bigint) => Promise<bigint | undefined>;
}

/**
 * Maximum cost of a transaction's gas, with the fee for its data, and with `given`: coin that pays for gas of the recipient.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function readGasCost(
  { rpc, priceGas }: GasCostDeps,
  chainId: number,
  { given = 0n, ...terms }: TransactionTerms & { readonly given?: bigint },
): Promise<GasCost> {
  const wei = given + maxGasCost(terms) + (await readL1DataFee(rpc, chainId, serializeTerms(terms, chainId)));
  return { wei, microUsd: await priceGas(chainId, wei) };
}

/** What a call may cost: the maximum in millionths of a US dollar, and the budget of its customer that it counts against. */
export interface GasAllowance {
  readonly maxGasMicroUsd?: bigint | undefined;
  /** The budget for completions by default. */
  readonly budget?: 'completion' | 'deployment' | undefined;
}

/**
 * The gas as it is recorded, unless it costs more than its maximum, or an unknown amount. Gas without a maximum is always
 * paid.
 */
export function affordableGas(
  { maxGasMicroUsd: maximum, budget = 'completion' }: GasAllowance,
  cost: GasCost,
): AllocatedGas | 'unaffordable' | 'unpriced' {
  if (maximum === undefined) return { kind: 'ramp', cost };
  const { wei, microUsd } = cost;
  if (microUsd === undefined) return 'unpriced';
  if (microUsd > maximum) return 'unaffordable';
  return { kind: budget, cost: { wei, microUsd } };
}
