import { MAX_TICK, MIN_TICK, sqrtPriceAtTick } from './tick-math';

/** Ticks that share one word of a pool's bitmap. */
const WORD_BITS = 256;

/** A tick at which liquidity changes, by `liquidityNet` when the price rises across it. */
export interface InitializedTick {
  readonly tick: number;
  readonly liquidityNet: bigint;
}

/** The loaded ticks of a pool: every bitmap word from the lowest to the highest. */
export interface TickWindow {
  readonly lowestWord: number;
  readonly highestWord: number;
  /** Ascending. */
  readonly ticks: readonly InitializedTick[];
}

/** The price at which a swap step ends: an initialized tick, or the end of a bitmap word. */
export interface StepTarget {
  /** Square root times 2^96. */
  readonly price: bigint;
  /** Liquidity added when the swap crosses it in its direction; `undefined` at the end of a word. */
  readonly liquidityChange: bigint | undefined;
}

/** A tick, and the spacing that places it in the bitmap. */
export interface TickPosition {
  readonly tick: number;
  readonly tickSpacing: number;
}

/** Number of the bitmap word of a tick. */
export const wordOf = ({ tick, tickSpacing }: TickPosition): number =>
  Math.floor(Math.floor(tick / tickSpacing) / WORD_BITS);

/** The initialized ticks of a bitmap word, ascending. */
export function ticksOfWord(word: number, bits: bigint, tickSpacing: number): readonly number[] {
  if (bits === 0n) return [];
  const ticks: number[] = [];
  const digits = bits.toString(2);
  for (let bit = 0; bit < digits.length; bit += 1) {
    if (digits[digits.length - 1 - bit] === '1') ticks.push((word * WORD_BITS + bit) * tickSpacing);
  }
  return ticks;
}

/** The lowest and the highest bitmap word with valid ticks. */
export const outermostWords = (tickSpacing: number): Pick<TickWindow, 'lowestWord' | 'highestWord'> => ({
  lowestWord: wordOf({ tick: MIN_TICK, tickSpacing }),
  highestWord: wordOf({ tick: MAX_TICK, tickSpacing }),
});

/** Step targets of a swap with a falling price, from a tick to the lower end of the window. */
export function* stepTargetsBelow(window: TickWindow, { tick, tickSpacing }: TickPosition): Generator<StepTarget> {
  const start = Math.floor(tick / tickSpacing) * tickSpacing;
  const byWord = ticksByWord(window, tickSpacing);
  for (let word = wordOf({ tick, tickSpacing }); word >= window.lowestWord; word -= 1) {
    const end = word * WORD_BITS * tickSpacing;
    const ticks = (byWord.get(word) ?? []).filter((each) => each.tick <= start).toReversed();
    for (const each of ticks) yield tickTarget(each, -1n);
    if (ticks.at(-1)?.tick !== end) yield wordEndTarget(end);
  }
}

/** Step targets of a swap with a rising price, from a tick to the upper end of the window. */
export function* stepTargetsAbove(window: TickWindow, { tick, tickSpacing }: TickPosition): Generator<StepTarget> {
  const start = (Math.floor(tick / tickSpacing) + 1) * tickSpacing;
  const byWord = ticksByWord(window, tickSpacing);
  for (let word = wordOf({ tick: start, tickSpacing }); word <= window.highestWord; word += 1) {
    const end = (word * WORD_BITS + WORD_BITS - 1) * tickSpacing;
    const ticks = (byWord.get(word) ?? []).filter((each) => each.tick >= start);
    for (const each of ticks) yield tickTarget(each, 1n);
    if (ticks.at(-1)?.tick !== end) yield wordEndTarget(end);
  }
}

function ticksByWord({ ticks }: TickWindow, tickSpacing: number): ReadonlyMap<number, readonly InitializedTick[]> {
  const byWord = new Map<number, InitializedTick[]>();
  for (const each of ticks) {
    const word = wordOf({ tick: each.tick, tickSpacing });
    const found = byWord.get(word);
    if (found === undefined) byWord.set(word, [each]);
    else found.push(each);
  }
  return byWord;
}

const tickTarget = ({ tick, liquidityNet }: InitializedTick, sign: bigint): StepTarget => ({
  price: sqrtPriceAtTick(tick),
  liquidityChange: sign * liquidityNet,
});

/** Limited to the lowest and the highest valid tick. */
const wordEndTarget = (tick: number): StepTarget => ({
  price: sqrtPriceAtTick(Math.min(Math.max(tick, MIN_TICK), MAX_TICK)),
  liquidityChange: undefined,
});
