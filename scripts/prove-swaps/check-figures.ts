import { parseUnits } from 'viem';
import { marketPrice, tradedAddress } from './market';
import { type PoolChain, poolOutput, type PoolStates, type Ratio } from './pools';
import type { ShownAction, ShownQuote } from './wire-schemas';

/** Balance changes of the wallet, without gas, in base units. */
export interface Moved {
  readonly spent: bigint;
  readonly received: bigint;
}

/** An executed swap, with the pools in the block before it and in its own. */
export interface ExecutedQuote extends Moved {
  readonly chain: PoolChain;
  readonly quote: ShownQuote;
  readonly before: PoolStates;
  readonly after: PoolStates;
}

/** The sentences about wrong figures, and how far the figures are from the computed ones. */
export interface Findings {
  readonly problems: readonly string[];
  /** Basis points. */
  readonly impactDeviation: number;
  /** US dollars. */
  readonly dollarDeviation: number;
  /** Basis points of the output; `undefined` unless one pool fills the swap within its range of constant liquidity. */
  readonly poolDeviation: number | undefined;
}

const MAX_IMPACT_DEVIATION_BPS = 5;
/** Shown prices have the precision of JSON numbers. */
const MAX_PRICE_DEVIATION_PPM = 1n;
/** Dollars are compared in 10^-24. */
const DOLLAR_DECIMALS = 24;
const DOLLAR = 10n ** BigInt(DOLLAR_DECIMALS);
const CENT = DOLLAR / 100n;
const BPS = 10_000n;
const MILLION = 1_000_000n;

/** Compares all figures of a quote with what its execution moved, at prices that are computed from the pools alone. */
export function checkFigures(swap: ExecutedQuote): Findings {
  const problems: string[] = [];
  const report = (isWrong: boolean, problem: string): void => {
    if (isWrong) problems.push(problem);
  };
  const { quote, spent, received } = swap;
  const { tokenIn, expectedAmountOut, priceImpactBps } = quote;
  report(spent !== BigInt(tokenIn.amount), `the wallet lost ${String(spent)}, quoted ${tokenIn.amount}`);
  report(received !== BigInt(expectedAmountOut), `the wallet gained ${String(received)}, quoted ${expectedAmountOut}`);
  for (const problem of wrongPrices(swap)) problems.push(problem);
  const computed = computeImpact(swap, received);
  const impactDeviation = Math.abs(computed - (priceImpactBps ?? NaN));
  report(
    !(impactDeviation <= MAX_IMPACT_DEVIATION_BPS),
    `the impact is ${String(computed)} bps, shown ${String(priceImpactBps)}`,
  );
  const dollars = checkDollars(swap);
  const filled = checkSinglePool(swap);
  return {
    problems: [...problems, ...dollars.problems, ...filled.problems],
    impactDeviation,
    dollarDeviation: dollars.deviation,
    poolDeviation: filled.deviation,
  };
}

function wrongPrices({ chain, before, quote }: ExecutedQuote): readonly string[] {
  return [quote.tokenIn, quote.tokenOut].flatMap((token) => {
    const computed = valueOf(10n ** BigInt(token.decimals), marketPrice(chain, before, token));
    const shown = dollarsOf(token.priceInUSD);
    const isRight = shown !== undefined && absolute(shown - computed) * MILLION <= computed * MAX_PRICE_DEVIATION_PPM;
    return isRight ? [] : [`the price of ${token.symbol} is ${String(computed)}e-24, shown ${String(shown)}e-24`];
  });
}

/** The loss against the computed prices, without the listed fees of the venue, in basis points with two decimals. */
function computeImpact({ chain, before, quote, spent }: ExecutedQuote, amountOut: bigint): number {
  const { tokenIn, tokenOut } = quote;
  const [priceIn, priceOut] = [marketPrice(chain, before, tokenIn), marketPrice(chain, before, tokenOut)];
  const fair = valueOf(spent, priceIn);
  const fees = venueFees(quote).map(({ symbol, amountRaw }) =>
    valueOf(BigInt(amountRaw), symbol === tokenIn.symbol ? priceIn : priceOut),
  );
  return hundredths(((fair - valueOf(amountOut, priceOut) - sum(fees)) * BPS * 100n) / fair);
}

const IMPACT_LABEL = 'Price impact';
const venueFees = ({ feeBreakdown }: ShownQuote) =>
  feeBreakdown.lines.filter(({ kind, label }) => kind !== 'gas' && label !== IMPACT_LABEL);

interface Checked {
  readonly problems: readonly string[];
  readonly deviation: number;
}

/** Every amount in dollars is its amount at the computed price, and input = output + fees + impact: each to the cent. */
function checkDollars({ chain, before, quote, spent, received }: ExecutedQuote): Checked {
  const { tokenIn, tokenOut, feeBreakdown, gasEstimate } = quote;
  const { lines, summary } = feeBreakdown;
  const priceOf = (symbol: string): Ratio => {
    const token = [tokenIn, tokenOut].find((each) => each.symbol === symbol);
    return marketPrice(chain, before, token ?? { contract: chain.tokens['WETH'] ?? '' });
  };
  const gas = BigInt(gasEstimate.gasLimit) * BigInt(gasEstimate.feePerGas ?? 0n);
  const costs = lines.filter(({ kind }) => kind !== 'gas').map(({ amountInUSD }) => dollarsOf(amountInUSD) ?? 0n);
  const impactLines = lines.filter(({ kind }) => kind === 'bridgeAndSlippage');
  const [shownIn, shownOut] = [dollarsOf(tokenIn.amountInUSD), dollarsOf(tokenOut.amountInUSD)];
  const equations: readonly (readonly [what: string, shown: bigint | undefined, computed: bigint])[] = [
    ['the value of the input', shownIn, valueOf(spent, priceOf(tokenIn.symbol))],
    ['the value of the output', shownOut, valueOf(received, priceOf(tokenOut.symbol))],
    ...lines.map(
      ({ label, amountInUSD, amountRaw, symbol }) =>
        [`the line ${label}`, dollarsOf(amountInUSD), valueOf(BigInt(amountRaw), priceOf(symbol))] as const,
    ),
    ['the estimate of gas', dollarsOf(gasEstimate.amountInUSD), valueOf(gas, priceOf('WETH'))],
    ['the input', shownIn, (shownOut ?? 0n) + sum(costs)],
    [
      'the sum of bridge and slippage',
      dollarsOf(summary.bridgeAndSlippageImpactOutUSD),
      sum(impactLines.map(({ amountInUSD }) => dollarsOf(amountInUSD) ?? 0n)),
    ],
    ['the sum of platform fees', dollarsOf(summary.platformFeesTotalInUSD), 0n],
  ];
  const problems = equations.flatMap(([what, shown, computed]) =>
    shown !== undefined && absolute(shown - computed) < CENT
      ? []
      : [`${what} is ${inDollars(computed)} dollars, shown ${shown === undefined ? 'nothing' : inDollars(shown)}`],
  );
  const deviations = equations.map(([, shown = 0n, computed]) => absolute(shown - computed));
  const largest = deviations.reduce((max, each) => (each > max ? each : max), 0n);
  return { problems, deviation: Number.parseInt((largest / (DOLLAR / MILLION)).toString(), 10) / 1e6 };
}

interface CheckedPool {
  readonly problems: readonly string[];
  readonly deviation: number | undefined;
}

/** A swap through one pool delivers what the formula of the pool gives for its reserves, and its impact follows from them. */
function checkSinglePool(swap: ExecutedQuote): CheckedPool {
  const { quote, received } = swap;
  const output = singlePoolOutput(swap);
  if (output === undefined) return { problems: [], deviation: undefined };
  const impact = computeImpact(swap, output);
  const deviations = [
    hundredths((absolute(output - received) * BPS * 100n) / output),
    Math.abs(impact - (quote.priceImpactBps ?? NaN)),
  ];
  const isRight = deviations.every((each) => each <= MAX_IMPACT_DEVIATION_BPS);
  const problem = `its pool pays ${String(output)} with an impact of ${String(impact)} bps, shown ${String(quote.priceImpactBps)}`;
  return { problems: isRight ? [] : [problem], deviation: Math.max(...deviations) };
}

/** The output by the formula of the only pool of the route; `undefined` for other routes, and where no formula applies. */
function singlePoolOutput({ chain, quote, before, after, spent }: ExecutedQuote): bigint | undefined {
  const [leg, ...further] = quote.route;
  const address = leg?.pool?.toLowerCase() ?? '';
  const [pool, moved] = [before.get(address), after.get(address)];
  if (pool === undefined || moved === undefined || further.length > 0) return undefined;
  return poolOutput(pool, { after: moved, tokenIn: tradedAddress(chain, quote.tokenIn.contract), amountIn: spent });
}

/** The ended action of a swap has the changes of the wallet's balances as its amounts. */
export function checkAction(
  { status, failureReason, amounts }: ShownAction,
  { quote, spent, received }: Moved & Pick<ExecutedQuote, 'quote'>,
): readonly string[] {
  if (status !== 'SUCCESS') return [`the action is ${status}: ${failureReason ?? ''}`];
  const { assetIn, assetOut } = amounts;
  const wrong = (what: string, shown: string, actual: bigint): readonly string[] =>
    BigInt(shown) === actual ? [] : [`${what} of the action is ${shown}, the balance changed by ${String(actual)}`];
  const sides = [
    ['assetIn', assetIn.amountInUSD, quote.tokenIn.amountInUSD],
    ['assetOut', assetOut.amountInUSD, quote.tokenOut.amountInUSD],
  ] as const;
  const dollars = sides.flatMap(([what, shown, quoted]) => {
    const [one, other] = [parseUnits(shown ?? '0', DOLLAR_DECIMALS), dollarsOf(quoted) ?? 0n];
    return absolute(one - other) < CENT
      ? []
      : [`${what} of the action is ${String(shown)} dollars, quoted ${String(quoted)}`];
  });
  return [
    ...wrong('assetIn', assetIn.amountRaw, spent),
    ...wrong('assetOut', assetOut.amountRaw, received),
    ...dollars,
  ];
}

const dollarsOf = (shown: number | null | undefined): bigint | undefined =>
  shown === null || shown === undefined ? undefined : parseUnits(shown.toFixed(18), DOLLAR_DECIMALS);

const valueOf = (amount: bigint, { numerator, denominator }: Ratio): bigint =>
  (amount * numerator * DOLLAR) / denominator;

const sum = (values: readonly bigint[]): bigint => values.reduce((total, value) => total + value, 0n);
const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
const hundredths = (value: bigint): number => Number.parseInt(value.toString(), 10) / 100;
const inDollars = (value: bigint): string =>
  (Number.parseInt((value / (DOLLAR / MILLION)).toString(), 10) / 1e6).toFixed(6);
