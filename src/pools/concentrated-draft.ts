import type { ContractRead } from '../rpc/contract-read';
import { concentratedHops, type LiveHop } from './live-hop';
import type { Pool } from './pool';
import type { PoolDraft, PoolHint, Question } from './pool-knowledge';
import { balanceOf, bitmapWordOf, liquidityNetOf, liquidityOf, slot0Of, tickSpacingOf } from './pool-reads';
import { outermostWords, ticksOfWord, type TickWindow, wordOf } from './tick-window';

/** Ticks to each side of the price that are read at first: about 10 % of it. */
const NEAR_TICKS = 1024;
const WORD_BITS = 256;
/** A pool with more ticks than anybody needs to read is not served. */
const MAX_TICKS = 5000;

/** Answers of a V3 pool that come once. */
interface Basics {
  slot0?: { readonly sqrtPriceX96: bigint; readonly tick: number };
  liquidity?: bigint;
  stock0?: bigint;
  stock1?: bigint;
  tickSpacing?: number;
}

interface Knowledge {
  readonly basics: Basics;
  /** The initialized ticks of words of the bitmap, by their number. */
  readonly words: Map<number, readonly number[]>;
  /** Net liquidity of ticks. */
  readonly nets: Map<number, bigint>;
}

interface Subject {
  readonly pool: Pool;
  readonly fee: number;
  readonly hint: PoolHint | undefined;
  /** How many times the nearest ticks are to be known. */
  readonly reach: number;
}

/** A V3 pool of which nothing is known yet but what the hint says. */
export const concentratedDraft = (subject: Omit<Subject, 'reach'>): PoolDraft => {
  const basics: Basics = subject.hint === undefined ? {} : { tickSpacing: subject.hint.tickSpacing };
  return draftOf({ ...subject, reach: 1 }, { basics, words: new Map(), nets: new Map() });
};

function draftOf(subject: Subject, known: Knowledge): PoolDraft {
  const { pool, hint, reach } = subject;
  const { basics, words, nets } = known;
  let asked = basics.slot0 !== undefined;
  let failed = false;
  let hops: readonly LiveHop[] | undefined;
  const ask: Ask = (read, learn) => ({
    read,
    learn: (answer) => {
      if (answer === undefined) failed = true;
      else learn(answer as never);
    },
  });
  const askWord = (word: number): Question =>
    ask(bitmapWordOf(pool.address, word), (bits) => words.set(word, ticksOfWord(word, bits, basics.tickSpacing ?? 1)));
  const askTick = (tick: number): Question => ask(liquidityNetOf(pool.address, tick), (net) => nets.set(tick, net));
  const askFirst = (): readonly Question[] => {
    asked = true;
    const hinted = hint === undefined ? [] : [...hint.words.map(askWord), ...hint.ticks.map(askTick)];
    return [...basicQuestions(pool, basics, ask), ...hinted];
  };
  return {
    questions() {
      if (!asked) return askFirst();
      const range = wordsAround(basics, reach);
      if (failed || range === undefined) return [];
      const unread = range.words.filter((word) => !words.has(word));
      if (unread.length > 0) return unread.map(askWord);
      const ticks = [...words.values()].flat();
      failed = ticks.length > MAX_TICKS;
      return failed ? [] : ticks.flatMap((tick) => (nets.has(tick) ? [] : [askTick(tick)]));
    },
    hops() {
      hops ??= failed ? [] : hopsFrom(subject, known);
      return hops;
    },
    widened() {
      if (failed || (wordsAround(basics, reach)?.isWhole ?? true)) return undefined;
      const copy = { basics: { ...basics }, words: new Map(words), nets: new Map(nets) };
      return draftOf({ ...subject, reach: reach * 4 }, copy);
    },
    get hint() {
      const range = wordsAround(basics, 1);
      if (failed || range === undefined) return undefined;
      const ticks = range.words.flatMap((word) => words.get(word) ?? []);
      return { tickSpacing: basics.tickSpacing ?? 1, words: range.words, ticks };
    },
  };
}

type Ask = <Answer>(read: ContractRead<Answer>, learn: (answer: Answer) => void) => Question;

function basicQuestions({ address, token0, token1 }: Pool, basics: Basics, ask: Ask): readonly Question[] {
  const isSpaced = basics.tickSpacing !== undefined;
  return [
    ask(slot0Of(address), (slot0) => (basics.slot0 = slot0)),
    ask(liquidityOf(address), (liquidity) => (basics.liquidity = liquidity)),
    ask(balanceOf(token0, address), (stock) => (basics.stock0 = stock)),
    ask(balanceOf(token1, address), (stock) => (basics.stock1 = stock)),
    ...(isSpaced ? [] : [ask(tickSpacingOf(address), (spacing) => (basics.tickSpacing = spacing))]),
  ];
}

interface WordRange {
  readonly words: readonly number[];
  /** True when no other word holds ticks that exist. */
  readonly isWhole: boolean;
}

/** `undefined` while it is not known where the pool stands. */
function wordsAround({ slot0, tickSpacing }: Basics, reach: number): WordRange | undefined {
  if (slot0 === undefined || tickSpacing === undefined) return undefined;
  const { lowestWord, highestWord } = outermostWords(tickSpacing);
  const here = wordOf({ tick: slot0.tick, tickSpacing });
  const radius = Math.ceil(NEAR_TICKS / (WORD_BITS * tickSpacing)) * reach;
  const from = Math.max(here - radius, lowestWord);
  const to = Math.min(here + radius, highestWord);
  const words = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  return { words, isWhole: from === lowestWord && to === highestWord };
}

/** None when an answer is missing. */
function hopsFrom({ pool, fee, reach }: Subject, { basics, words, nets }: Knowledge): readonly LiveHop[] {
  const { slot0, tickSpacing, liquidity, stock0, stock1 } = basics;
  const range = wordsAround(basics, reach);
  if (slot0 === undefined || tickSpacing === undefined || range === undefined) return [];
  if (liquidity === undefined || stock0 === undefined || stock1 === undefined) return [];
  const [lowestWord, highestWord] = [range.words[0] ?? 0, range.words.at(-1) ?? 0];
  const ticks = range.words.flatMap((word) => words.get(word) ?? []);
  const window: TickWindow = {
    lowestWord,
    highestWord,
    ticks: ticks.map((tick) => ({ tick, liquidityNet: nets.get(tick) ?? 0n })),
  };
  const state = { ...slot0, tickSpacing, liquidity, fee: BigInt(fee), window };
  return concentratedHops(pool, state, { stock0, stock1 });
}
