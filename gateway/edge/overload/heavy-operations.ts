/** Kinds of work with a concurrency and a queue of their own. */
export type Lane = 'quotes' | 'executions';

/** Root fields that request providers and chains, and compute. All others are cheap, and are served at once. */
export const HEAVY_OPERATIONS: ReadonlyMap<string, Lane> = new Map<string, Lane>([
  ['Query.swapQuote', 'quotes'],
  ['Query.swapQuotes', 'quotes'],
  ['Subscription.swapQuoteStream', 'quotes'],
  ['Mutation.createSwapTransaction', 'executions'],
  ['Mutation.createTransfer', 'executions'],
  ['Query.transfer', 'executions'],
  ['Mutation.createStrategyTransaction', 'executions'],
  ['Query.strategyTransaction', 'executions'],
]);

/** Where an operation waits, and how many places it takes. */
export interface HeavyLoad {
  readonly lane: Lane;
  readonly size: number;
}

/**
 * Returns the load of an operation, by its root fields. `undefined` when it has no heavy one. An operation with quotes and
 * executions counts as executions. The fields of a mutation run one after the other.
 */
export function heavyLoadOf(rootFields: readonly string[]): HeavyLoad | undefined {
  let size = 0;
  let lane: Lane | undefined;
  let isMutation = false;
  for (const field of rootFields) {
    const fieldLane = HEAVY_OPERATIONS.get(field);
    if (fieldLane === undefined) continue;
    size += 1;
    if (lane !== 'executions') lane = fieldLane;
    isMutation ||= field.startsWith('Mutation.');
  }
  return lane === undefined ? undefined : { lane, size: isMutation ? 1 : size };
}
