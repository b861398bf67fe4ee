import { type Address, erc20Abi, parseAbi } from 'viem';
import { type ContractRead, contractRead } from '../contract-read';
import { concentratedHops, constantProductHops, type LiveHop } from './live-hop';
import type { Pool } from './pool';
import { liquidityRead, reservesRead, slot0Read } from './pool-state';
import { outermostWords, ticksOfWord, type TickWindow, wordOf } from './tick-window';

/** A question to the chain, and what to do with the answer; `undefined` where the call reverted. */
export interface Question {
  readonly read: ContractRead<unknown>;
  readonly learn: (answer: unknown) => void;
}

/** What there was to know of a pool the last time: asked for again before it is known whether it still matters. */
export interface PoolHint {
  readonly tickSpacing: number;
  readonly words: readonly number[];
  readonly ticks: readonly number[];
}

/** What is known so far of a pool, read in a few rounds because each tells what to ask next. */
export interface PoolDraft {
  /** Still to be asked; none when the hops can be had, or never will be. */
  questions(): readonly Question[];
  /** Both directions of the pool; none when it cannot trade or did not answer like a pool. */
  hops(): readonly LiveHop[];
  /** Another draft, that asks for four times as many ticks to each side; `undefined` when all are known. */
  widened(): PoolDraft | undefined;
  /** For the next time; `undefined` when there is nothing to be told of the pool. */
  readonly hint: PoolHint | undefined;
}

export const createPoolDraft = (pool: Pool, hint: PoolHint | undefined): PoolDraft =>
  pool.fee === undefined
    ? constantProductDraft(pool)
    : concentratedDraft({ pool, fee: pool.fee, hint, reach: 1 }, blank(hint));

function constantProductDraft(pool: Pool): PoolDraft {
  let hops: readonly LiveHop[] | undefined;
  const learn = (answer: unknown): void => {
    const [reserve0, reserve1] = Array.isArray(answer) ? (answer as readonly unknown[]) : [];
    const known = typeof reserve0 === 'bigint' && typeof reserve1 === 'bigint';
    hops = known ? constantProductHops(pool, { reserve0, reserve1 }) : [];
  };
  return {
    questions: () => (hops === undefined ? [{ read: reservesRead(pool), learn }] : []),
    hops: () => hops ?? [],
    widened: () => undefined,
    hint: undefined,
  };
}

const v3Pool = parseAbi([
  'function tickSpacing() view returns (int24)',
  'function tickBitmap(int16 wordPosition) view returns (uint256)',
  'function ticks(int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet)',
]);

/** Ticks to each side of the price that are read at first: about 10 % of it. */
const NEAR_TICKS = 1024;
const WORD_BITS = 256;
/** A pool with more ticks than anybody needs to read is not served. */
const MAX_TICKS = 5000;

/** Answers of a V3 pool that come once. */
interface Basics {
  sqrtPriceX96?: bigint;
  tick?: number;
  liquidity?: bigint;
  stock0?: bigint;
  stock1?: bigint;
  tickSpacing?: number;
}

interface Knowledge {
  readonly basics: Basics;
  /** Words of the bitmap by their number. */
  readonly words: Map<number, bigint>;
  /** Net liquidity of ticks. */
  readonly nets: Map<number, bigint>;
}

const blank = (hint: PoolHint | undefined): Knowledge => ({
  ...{ words: new Map(), nets: new Map() },
  basics: hint === undefined ? {} : { tickSpacing: hint.tickSpacing },
});

interface ConcentratedSubject {
  readonly pool: Pool;
  readonly fee: number;
  readonly hint: PoolHint | undefined;
  /** How many times the nearest ticks are to be known. */
  readonly reach: number;
}

function concentratedDraft(subject: ConcentratedSubject, known: Knowledge): PoolDraft {
  const { pool, hint, reach } = subject;
  const { basics, words, nets } = known;
  let asked = basics.tick !== undefined;
  let failed = false;
  let hops: readonly LiveHop[] | undefined;
  const ask: Ask = (read, learn) => ({
    read,
    learn: (answer) => {
      if (answer === undefined) failed = true;
      else learn(answer as never);
    },
  });
  const askWord = (word: number): Question => ask(wordRead(pool, word), (bits: bigint) => words.set(word, bits));
  const askTick = (tick: number): Question =>
    ask(tickRead(pool, tick), ([, net]: readonly [bigint, bigint]) => nets.set(tick, net));
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
      const ticks = markedTicks(known);
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
      return concentratedDraft({ ...subject, reach: reach * 4 }, copy);
    },
    get hint() {
      const range = wordsAround(basics, 1);
      if (failed || range === undefined) return undefined;
      const near = new Map(range.words.flatMap((word) => [[word, words.get(word) ?? 0n]]));
      const ticks = markedTicks({ ...known, words: near });
      return { tickSpacing: basics.tickSpacing ?? 1, words: range.words, ticks };
    },
  };
}

const markedTicks = ({ basics, words }: Knowledge): readonly number[] =>
  [...words].flatMap(([word, bits]) => ticksOfWord(word, bits, basics.tickSpacing ?? 1));

type Ask = <Answer>(read: ContractRead<Answer> | ContractRead<unknown>, learn: (answer: Answer) => void) => Question;

function basicQuestions(pool: Pool, basics: Basics, ask: Ask): readonly Question[] {
  const { address } = pool;
  const spacing = contractRead({ address, abi: v3Pool, functionName: 'tickSpacing' });
  return [
    ask(slot0Read(pool), ([price, tick]: readonly [bigint, number]) => {
      basics.sqrtPriceX96 = price;
      basics.tick = tick;
    }),
    ask(liquidityRead(pool), (liquidity: bigint) => (basics.liquidity = liquidity)),
    ask(stockRead(pool.token0, pool), (stock: bigint) => (basics.stock0 = stock)),
    ask(stockRead(pool.token1, pool), (stock: bigint) => (basics.stock1 = stock)),
    ...(basics.tickSpacing === undefined ? [ask(spacing, (found: number) => (basics.tickSpacing = found))] : []),
  ];
}

const stockRead = (token: Address, { address }: Pool) =>
  contractRead({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
const wordRead = ({ address }: Pool, word: number) =>
  contractRead({ address, abi: v3Pool, functionName: 'tickBitmap', args: [word] });
const tickRead = ({ address }: Pool, tick: number) =>
  contractRead({ address, abi: v3Pool, functionName: 'ticks', args: [tick] });

interface WordRange {
  readonly words: readonly number[];
  /** True when no other word holds ticks that exist. */
  readonly isWhole: boolean;
}

/** `undefined` while it is not known where the pool stands. */
function wordsAround({ tick, tickSpacing }: Basics, reach: number): WordRange | undefined {
  if (tick === undefined || tickSpacing === undefined) return undefined;
  const { lowestWord, highestWord } = outermostWords(tickSpacing);
  const here = wordOf({ tick, tickSpacing });
  const radius = Math.ceil(NEAR_TICKS / (WORD_BITS * tickSpacing)) * reach;
  const from = Math.max(here - radius, lowestWord);
  const to = Math.min(here + radius, highestWord);
  const words = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  return { words, isWhole: from === lowestWord && to === highestWord };
}

/** None when an answer is missing. */
function hopsFrom({ pool, fee, reach }: ConcentratedSubject, known: Knowledge): readonly LiveHop[] {
  const { sqrtPriceX96, tick, tickSpacing, liquidity, stock0, stock1 } = known.basics;
  const range = wordsAround(known.basics, reach);
  if (sqrtPriceX96 === undefined || tick === undefined || tickSpacing === undefined || range === undefined) return [];
  if (liquidity === undefined || stock0 === undefined || stock1 === undefined) return [];
  const [lowestWord, highestWord] = [range.words[0] ?? 0, range.words.at(-1) ?? 0];
  const ticks = markedTicks(known)
    .map((each) => ({ tick: each, liquidityNet: known.nets.get(each) ?? 0n }))
    .sort((one, other) => one.tick - other.tick);
  const window: TickWindow = { lowestWord, highestWord, ticks };
  const state = { sqrtPriceX96, tick, tickSpacing, liquidity, fee: BigInt(fee), window };
  return concentratedHops(pool, state, { stock0, stock1 });
}
