import DataLoader from 'dataloader';
import { validationError } from '../../src/errors/validation';
import type { SampledSpan } from '../../src/strategies/market/sample-store';
import type { CustomerFees } from '../../src/strategies/fees/customer-fees';
import type { Strategy } from '../../src/strategies/strategy';
import {
  rateHistories,
  type RateHistoryDeps,
  type RatePoint,
  recentSamples,
  type SampleView,
} from '../../src/strategies/views/rate-history';

const cacheKeyFn = ({ row }: Strategy): string => row.id;

/** Loads the recent samples of strategies for one request: one query for all of them. */
export const createSampleLoader = (
  deps: Omit<RateHistoryDeps, 'fees'>,
): DataLoader<Strategy, readonly SampleView[], string> =>
  new DataLoader((strategies) => recentSamples(deps, strategies), { cacheKeyFn });

/** Each span of a request is a query of its own. */
const MAX_SPANS = 4;
/** Steps of all histories of a request: each may be a row. */
const MAX_STEPS = 20_000;

/** Loads rate histories for one request: one query for all strategies with the same span. */
export interface RateLoader {
  /** @throws VALIDATION_ERROR for too many different spans, or too many steps of all strategies together */
  load(strategy: Strategy, span: SampledSpan): Promise<readonly RatePoint[]>;
}

export function createRateLoader(
  deps: Omit<RateHistoryDeps, 'fees'>,
  readFees: () => Promise<CustomerFees>,
): RateLoader {
  const loaders = new Map<string, DataLoader<Strategy, readonly RatePoint[], string>>();
  let steps = 0;
  return {
    load(strategy, span) {
      steps += Math.ceil((span.to.getTime() - span.from.getTime()) / (span.stepSeconds * 1000));
      if (steps > MAX_STEPS) {
        const message = `must have at most ${String(MAX_STEPS)} steps for all strategies of a request together`;
        throw validationError([{ path: 'range', message }]);
      }
      const key = JSON.stringify([span.from, span.to, span.stepSeconds]);
      const loader =
        loaders.get(key) ??
        new DataLoader<Strategy, readonly RatePoint[], string>(
          async (strategies) => rateHistories({ ...deps, fees: await readFees() }, strategies, span),
          { cacheKeyFn },
        );
      if (!loaders.has(key) && loaders.size >= MAX_SPANS) {
        const message = `must not differ more than ${String(MAX_SPANS)} times in one request`;
        throw validationError([{ path: 'range', message }]);
      }
      loaders.set(key, loader);
      return loader.load(strategy);
    },
  };
}
