import { MAX_TICK, MIN_TICK, sqrtPriceAtTick } from './tick-math';

/** Ticks that share one word of a pool's bitmap. */
const WORD_BITS = 256;

/** A tick at which liquidity changes: by `liquidityNet` when the price rises through it. */
export interface InitializedTick {
  readonly tick: number;
  readonly liquidityNet: bigint;
}

/** The part of a pool's ticks that is known: every word of the bitmap from the first to the last. */
export interface TickWindow {
  readonly lowestWord: number;
  readonly highestWord: number;
  /** Ascending. */
  readonly ticks: readonly InitializedTick[];
}

/** A price at which a swap stops to look: an initialized tick, or the end of a word of the bitmap. */
export interface Stop {
  /** Square root times 2^96. */
  readonly price: bigint;
  /** Liquidity that is added when a swap passes it in its direction; `undefined` at the end of a word. */
  readonly liquidityChange: bigint | undefined;
}

/** Where in the bitmap a tick is. */
export interface TickPosition {
  readonly tick: number;
  readonly tickSpacing: number;
}

/** Number of the word of the bitmap that a tick is in. */
export const wordOf = ({ tick, tickSpacing }: TickPosition): number =>
  Math.floor(Math.floor(tick / tickSpacing) / WORD_BITS);

/** The ticks that a word of the bitmap marks, ascending. */
export function ticksOfWord(word: number, bits: bigint, tickSpacing: number): readonly number[] {
  if (bits === 0n) return [];
  const ticks: number[] = [];
  const digits = bits.toString(2);
  for (let bit = 0; bit < digits.length; bit += 1) {
    if (digits[digits.length - 1 - bit] === '1') ticks.push((word * WORD_BITS + bit) * tickSpacing);
  }
  return ticks;
}

/** The words of the bitmap that hold ticks which exist. */
export const outermostWords = (tickSpacing: number): Pick<TickWindow, 'lowestWord' | 'highestWord'> => ({
  lowestWord: wordOf({ tick: MIN_TICK, tickSpacing }),
  highestWord: wordOf({ tick: MAX_TICK, tickSpacing }),
});

/** The stops of a swap that lets the price fall, from a tick to the lower end of the window. */
export function* stopsBelow(window: TickWindow, { tick, tickSpacing }: TickPosition): Generator<Stop> {
  const start = Math.floor(tick / tickSpacing) * tickSpacing;
  const byWord = inWords(window, tickSpacing);
  for (let word = wordOf({ tick, tickSpacing }); word >= window.lowestWord; word -= 1) {
    const end = word * WORD_BITS * tickSpacing;
    const ticks = (byWord.get(word) ?? []).filter((each) => each.tick <= start).toReversed();
    for (const each of ticks) yield stopAt(each, -1n);
    if (ticks.at(-1)?.tick !== end) yield endOfWord(end);
  }
}

/** The stops of a swap that lets the price rise, from a tick to the upper end of the window. */
export function* stopsAbove(window: TickWindow, { tick, tickSpacing }: TickPosition): Generator<Stop> {
  const start = (Math.floor(tick / tickSpacing) + 1) * tickSpacing;
  const byWord = inWords(window, tickSpacing);
  for (let word = wordOf({ tick: start, tickSpacing }); word <= window.highestWord; word += 1) {
    const end = (word * WORD_BITS + WORD_BITS - 1) * tickSpacing;
    const ticks = (byWord.get(word) ?? []).filter((each) => each.tick >= start);
    for (const each of ticks) yield stopAt(each, 1n);
    if (ticks.at(-1)?.tick !== end) yield endOfWord(end);
  }
}

function inWords({ ticks }: TickWindow, tickSpacing: number): ReadonlyMap<number, readonly InitializedTick[]> {
  const byWord = new Map<number, InitializedTick[]>();
  for (const each of ticks) {
    const word = wordOf({ tick: each.tick, tickSpacing });
    const found = byWord.get(word);
    if (found === undefined) byWord.set(word, [each]);
    else found.push(each);
  }
  return byWord;
}

const stopAt = ({ tick, liquidityNet }: InitializedTick, sign: bigint): Stop => ({
  price: sqrtPriceAtTick(tick),
  liquidityChange: sign * liquidityNet,
});

/** Beyond the last tick that exists there is none. */
const endOfWord = (tick: number): Stop => ({
  price: sqrtPriceAtTick(Math.min(Math.max(tick, MIN_TICK), MAX_TICK)),
  liquidityChange: undefined,
});
