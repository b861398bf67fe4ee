import { customerLimitError } from '../../../auth/customer-limits';
import type { CustomerId } from '../../../auth/principal';
import { serviceError } from '../../../errors/service-error';
import type { Database } from '../../../persistence/database';
import type { GasBudgets, SponsoredOperation } from '../../../persistence/gas-budgets';
import type { GasPricer } from '../../../prices/gas-pricer';

/** Gas of a user operation that a paymaster is about to sponsor. */
export interface SponsoredGas {
  readonly customerId: CustomerId;
  readonly chainId: number;
  /** Action that the operation executes. At most one of its operations can be executed, so that its gas counts once. */
  readonly actionId: string;
  /** The prefund that the EntryPoint takes from the paymaster at most. */
  readonly wei: bigint;
  readonly operation: SponsoredOperation;
}

/**
 * Counts gas against the budget of its customer, before the paymaster's signature is returned.
 *
 * @throws RATE_LIMIT_EXCEEDED when it exceeds the budget; PROVIDER_UNAVAILABLE when the native coin has no price
 */
export type TakeSponsoredGas = (gas: SponsoredGas) => Promise<void>;

export interface SponsoredGasDeps {
  readonly database: Pick<Database, '$transaction'>;
  readonly gasBudgets: GasBudgets;
  readonly priceGas: GasPricer;
}

export const createSponsoredGasTaker =
  ({ database, gasBudgets, priceGas }: SponsoredGasDeps): TakeSponsoredGas =>
  async ({ customerId, chainId, actionId, wei, operation }) => {
    const microUsd = await priceGas(chainId, wei);
    if (microUsd === undefined) {
      const reason = 'the native coin has no price at the moment, so that its gas cannot be compared with a budget';
      throw serviceError('PROVIDER_UNAVAILABLE', { provider: 'paymaster', reason });
    }
    const ids = { id: actionId, customerId, actionId, chainId };
    const spending = { ...ids, kind: 'sponsored', cost: { wei, microUsd }, operation } as const;
    const result = await database.$transaction((tx) => gasBudgets.take(tx, spending));
    if (!result.taken) throw customerLimitError('sponsoredGasUsd', result.maximum);
  };
