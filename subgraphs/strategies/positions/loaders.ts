import DataLoader from 'dataloader';
import type { RequestContext } from '../../../src/auth/request-context';
import type { Strategy } from '../../../src/strategies/strategy';
import { type EarnDeps, findInvestmentActions } from '../../../src/strategies/positions/wallet-earn';
import {
  readHeldPositions,
  readOnePosition,
  type OnePosition,
} from '../../../src/strategies/positions/wallet-position';
import type { PositionView } from '../../../src/strategies/positions/position-view';
import { requireCustomer } from '../../schema/authorization';

interface PositionKey {
  readonly wallet: string;
  readonly strategy: Strategy;
}

const keyOf = ({ wallet, strategy }: PositionKey): string => `${wallet} ${strategy.row.id}`;

/** Loads the positions of a page of strategies for one request: those of one wallet share the calls to each chain. */
export const createPositionLoader = (
  deps: EarnDeps,
  context: RequestContext,
): DataLoader<PositionKey, PositionView | undefined, string> =>
  new DataLoader(
    (keys) => readHeldPositions(deps, { customerId: requireCustomer(context), keys, signal: context.signal }),
    {
      cacheKeyFn: keyOf,
    },
  );

/** Loads a position with its history for one request: the fields of a strategy share it. */
export const createDetailLoader = (
  deps: EarnDeps,
  context: RequestContext,
): DataLoader<PositionKey, OnePosition, string> =>
  new DataLoader(
    (keys) =>
      Promise.all(
        keys.map((key) =>
          readOnePosition(deps, { ...key, customerId: requireCustomer(context), signal: context.signal }).catch(
            asError,
          ),
        ),
      ),
    { cacheKeyFn: keyOf, maxBatchSize: 10 },
  );

const asError = (error: unknown): Error => (error instanceof Error ? error : new TypeError('not an error'));

interface ActionsKey {
  readonly wallet: string;
  readonly strategyId: string;
}

/** Loads the ids of the actions of positions for one request. */
export const createInvestmentActionLoader = (
  deps: EarnDeps,
  context: RequestContext,
): DataLoader<ActionsKey, readonly string[], string> =>
  new DataLoader(
    async (keys) => {
      const customerId = requireCustomer(context);
      const wallets = [...new Set(keys.map(({ wallet }) => wallet))];
      const found = await Promise.all(
        wallets.map(async (wallet) => {
          const strategyIds = keys.filter((key) => key.wallet === wallet).map(({ strategyId }) => strategyId);
          return [wallet, await findInvestmentActions(deps, { customerId, wallet, strategyIds })] as const;
        }),
      );
      const byWallet = new Map(found);
      return keys.map(({ wallet, strategyId }) => byWallet.get(wallet)?.get(strategyId) ?? []);
    },
    { cacheKeyFn: ({ wallet, strategyId }) => `${wallet} ${strategyId}` },
  );
