/**
 * Costs of the graph, as directives of the GraphQL cost specification. The gateway computes the cost of an operation from them
 * (`gateway/federation/cost/`). An object costs 1 by default, a scalar nothing.
 *
 * @see https://ibm.github.io/graphql-specs/cost-spec.html
 */

/** A page of `limit` items, 20 by default. */
export const PAGE_SIZE =
  '@listSize(assumedSize: 20, slicingArguments: ["limit"], sizedFields: ["data"], requireOneSlicingArgument: false)';

/** A page of `limit` items, 50 by default. */
export const LARGE_PAGE_SIZE =
  '@listSize(assumedSize: 50, slicingArguments: ["limit"], sizedFields: ["data"], requireOneSlicingArgument: false)';

/** A slice of `first` items, 20 by default. */
export const CONNECTION_SIZE =
  '@listSize(assumedSize: 20, slicingArguments: ["first"], sizedFields: ["edges", "nodes"], requireOneSlicingArgument: false)';

/** A slice of `first` items without edges, 20 by default. */
export const NODES_SIZE =
  '@listSize(assumedSize: 20, slicingArguments: ["first"], sizedFields: ["nodes"], requireOneSlicingArgument: false)';

/** A list with about one item for each chain or provider. */
export const ABOUT_TEN_ITEMS = '@listSize(assumedSize: 10)';

/** A slice of `first` positions, 50 by default. */
export const POSITIONS_SIZE =
  '@listSize(assumedSize: 50, slicingArguments: ["first"], sizedFields: ["edges", "nodes"], requireOneSlicingArgument: false)';

/** A list of all tokens of a wallet. */
export const ABOUT_FIFTY_ITEMS = '@listSize(assumedSize: 50)';

/** A list of `limit` tokens, 50 by default. */
export const UP_TO_LIMIT_TOKENS =
  '@listSize(assumedSize: 50, slicingArguments: ["limit"], requireOneSlicingArgument: false)';

/** A page of `limit` strategies, 100 by default. */
export const STRATEGY_PAGE =
  '@listSize(assumedSize: 100, slicingArguments: ["limit"], sizedFields: ["data"], requireOneSlicingArgument: false)';

/** A rate history of up to 500 steps. */
export const RATE_HISTORY = '@listSize(assumedSize: 500)';

/** A rate history of a week by the hour. */
export const WEEK_HISTORY = '@listSize(assumedSize: 170)';

/** The samples of 24 hours: null in most lists, and loaded with one query for all strategies. */
export const RECENT_SAMPLES = '@listSize(assumedSize: 24)';

/** A list with one or two items, as the steps of an action. */
export const ONE_OR_TWO_ITEMS = '@listSize(assumedSize: 2)';

/** A price history. Whatever its limit is, it reads all samples of its range: up to some 1,500. */
export const PRICE_HISTORY = '@listSize(assumedSize: 300)';

/** Values of a wallet: at most 366, mostly far fewer. */
export const VALUE_HISTORY = '@listSize(assumedSize: 300)';

/** An object or a value that takes reads of several tables, or a call to a chain. */
export const HEAVY_OBJECT = '@cost(weight: 10)';

/** An object that takes a call to each of about ten chains. */
export const ALL_CHAINS = '@cost(weight: 100)';

/** A page of `limit` changes of a deposit, 50 by default. */
export const HISTORY_PAGE =
  '@listSize(assumedSize: 50, slicingArguments: ["limit"], sizedFields: ["data"], requireOneSlicingArgument: false)';

/** The latest changes of a deposit. */
export const HISTORIC_ENTRIES = '@listSize(assumedSize: 100)';
