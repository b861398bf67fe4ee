/** A time in which a wallet held shares, with the price of a share at its ends. */
export interface HeldSpan {
  readonly from: Date;
  readonly to: Date;
  /** Assets per share as rays. */
  readonly startPriceRay: bigint;
  readonly endPriceRay: bigint;
}

const YEAR_SECONDS = 31_536_000;
const DAY_SECONDS = 86_400;
/** Digits of the growth: more than a floating-point number has. */
const GROWTH_UNIT = 10n ** 18n;

/**
 * Yearly growth of the shares over the times in which they were held, as a fraction: 0.04 is 4 %. `undefined` for less than a
 * day, and for a price of 0.
 */
export function realizedApy(spans: readonly HeldSpan[]): number | undefined {
  const seconds = spans.reduce((sum, { from, to }) => sum + (to.getTime() - from.getTime()) / 1000, 0);
  if (seconds < DAY_SECONDS || spans.some(({ startPriceRay }) => startPriceRay <= 0n)) return undefined;
  const growth = spans.reduce(
    (product, { startPriceRay, endPriceRay }) => (product * endPriceRay) / startPriceRay,
    GROWTH_UNIT,
  );
  return yearlyRate(growth, seconds);
}

/** `growth` in 10^-18. The difference to 1 keeps its digits as an integer. */
function yearlyRate(growth: bigint, seconds: number): number {
  const gain = Number.parseInt((growth - GROWTH_UNIT).toString(), 10) / 1e18;
  return Math.expm1((YEAR_SECONDS / seconds) * Math.log1p(gain));
}

/** A change of a wallet's shares. */
export interface ShareChange {
  readonly at: Date;
  /** Shares after the change. */
  readonly sharesAfter: bigint;
  readonly sharePriceRay: bigint | undefined;
}

/** The price of a share at a time; `undefined` when none is stored. */
export type PriceAt = (time: Date) => bigint | undefined;

/**
 * The times within a window in which a wallet held shares. `undefined` when a price at one of their ends is unknown.
 *
 * - `sharesBefore`: shares at the begin of the window.
 * - `changes`: of the window, in order.
 */
export function heldSpans(
  { from, to }: { readonly from: Date; readonly to: Date },
  { sharesBefore, changes }: { readonly sharesBefore: bigint; readonly changes: readonly ShareChange[] },
  priceAt: PriceAt,
): readonly HeldSpan[] | undefined {
  const spans: (HeldSpan | undefined)[] = [];
  let start = sharesBefore > 0n ? { at: from, price: priceAt(from) } : undefined;
  const end = (at: Date, price: bigint | undefined): void => {
    if (start === undefined) return;
    spans.push(spanOf(start, { at, price }));
    start = undefined;
  };
  for (const { at, sharesAfter, sharePriceRay } of changes) {
    const price = sharePriceRay ?? priceAt(at);
    if (sharesAfter === 0n) end(at, price);
    else start ??= { at, price };
  }
  end(to, priceAt(to));
  return spans.includes(undefined) ? undefined : spans.flatMap((span) => span ?? []);
}

interface SpanEnd {
  readonly at: Date;
  readonly price: bigint | undefined;
}

function spanOf(start: SpanEnd, end: SpanEnd): HeldSpan | undefined {
  if (start.price === undefined || end.price === undefined) return undefined;
  return { from: start.at, to: end.at, startPriceRay: start.price, endPriceRay: end.price };
}
