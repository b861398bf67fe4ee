import type { ContractRead } from '../rpc/contract-read';
import { concentratedHops, concentratedSpotHops, type HopState } from './hop-state';
import type { Pool } from './pool';
import type { PoolLoader, PrefetchHint, PendingRead } from './pool-loader';
import { erc20BalanceOf, bitmapWordOf, liquidityNetOf, liquidityOf, slot0Of, tickSpacingOf } from './pool-reads';
import { outermostWords, ticksOfWord, type TickWindow, wordOf } from './tick-window';

/** Ticks on each side of the current price that the first load reads: about 10 % of the price. */
const NEAR_TICKS = 1024;
const WORD_BITS = 256;
/** Pools with more initialized ticks in the range are not served. */
const MAX_TICKS = 5000;

/** State of a V3 pool outside its ticks. */
interface Basics {
  slot0?: { readonly sqrtPriceX96: bigint; readonly tick: number };
  liquidity?: bigint;
  balance0?: bigint;
  balance1?: bigint;
  tickSpacing?: number;
}

interface LoadedData {
  readonly basics: Basics;
  /** Initialized ticks by the number of their bitmap word. */
  readonly words: Map<number, readonly number[]>;
  /** Net liquidity by tick. */
  readonly nets: Map<number, bigint>;
}

interface LoaderParameters {
  readonly pool: Pool;
  readonly fee: number;
  readonly hint: PrefetchHint | undefined;
  /** The range to load, as a multiple of NEAR_TICKS. */
  readonly reach: number;
}

/** Loads a V3 pool. The hint adds the ticks of the previous load to the first round of reads. */
export const createConcentratedPoolLoader = (parameters: Omit<LoaderParameters, 'reach'>): PoolLoader => {
  const basics: Basics = parameters.hint === undefined ? {} : { tickSpacing: parameters.hint.tickSpacing };
  return createLoader({ ...parameters, reach: 1 }, { basics, words: new Map(), nets: new Map() });
};

function createLoader(parameters: LoaderParameters, data: LoadedData): PoolLoader {
  const { pool, hint, reach } = parameters;
  const { basics, words, nets } = data;
  let isStarted = basics.slot0 !== undefined;
  let failed = false;
  let hops: readonly HopState[] | undefined;
  const pendingRead: CreatePendingRead = (read, accept) => ({
    read,
    accept: (result) => {
      if (result === undefined) failed = true;
      else accept(result as never);
    },
  });
  const wordRead = (word: number): PendingRead =>
    pendingRead(bitmapWordOf(pool.address, word), (bits) =>
      words.set(word, ticksOfWord(word, bits, basics.tickSpacing ?? 1)),
    );
  const tickRead = (tick: number): PendingRead =>
    pendingRead(liquidityNetOf(pool.address, tick), (net) => nets.set(tick, net));
  const firstReads = (): readonly PendingRead[] => {
    isStarted = true;
    const hinted = hint === undefined ? [] : [...hint.words.map(wordRead), ...hint.ticks.map(tickRead)];
    return [...basicReads(pool, basics, pendingRead), ...hinted];
  };
  return {
    pendingReads() {
      if (!isStarted) return firstReads();
      const range = wordsAround(basics, reach);
      if (failed || range === undefined) return [];
      const unread = range.words.filter((word) => !words.has(word));
      if (unread.length > 0) return unread.map(wordRead);
      const ticks = [...words.values()].flat();
      failed = ticks.length > MAX_TICKS;
      return failed ? [] : ticks.flatMap((tick) => (nets.has(tick) ? [] : [tickRead(tick)]));
    },
    spotHops() {
      const { slot0, liquidity, balance0, balance1 } = basics;
      if (slot0 === undefined || liquidity === undefined) return [];
      if (balance0 === undefined || balance1 === undefined) return [];
      return concentratedSpotHops(pool, { ...slot0, liquidity }, { balance0, balance1 });
    },
    hops() {
      hops ??= failed ? [] : hopsFrom(parameters, data);
      return hops;
    },
    withWiderRange() {
      if (failed || (wordsAround(basics, reach)?.isWhole ?? true)) return undefined;
      const copy = { basics: { ...basics }, words: new Map(words), nets: new Map(nets) };
      return createLoader({ ...parameters, reach: reach * 4 }, copy);
    },
    get hint() {
      const range = wordsAround(basics, 1);
      if (failed || range === undefined) return undefined;
      const ticks = range.words.flatMap((word) => words.get(word) ?? []);
      return { tickSpacing: basics.tickSpacing ?? 1, words: range.words, ticks };
    },
  };
}

type CreatePendingRead = <Result>(read: ContractRead<Result>, accept: (result: Result) => void) => PendingRead;

function basicReads(
  { address, token0, token1 }: Pool,
  basics: Basics,
  pendingRead: CreatePendingRead,
): readonly PendingRead[] {
  const hasTickSpacing = basics.tickSpacing !== undefined;
  return [
    pendingRead(slot0Of(address), (slot0) => (basics.slot0 = slot0)),
    pendingRead(liquidityOf(address), (liquidity) => (basics.liquidity = liquidity)),
    pendingRead(erc20BalanceOf(token0, address), (balance) => (basics.balance0 = balance)),
    pendingRead(erc20BalanceOf(token1, address), (balance) => (basics.balance1 = balance)),
    ...(hasTickSpacing ? [] : [pendingRead(tickSpacingOf(address), (spacing) => (basics.tickSpacing = spacing))]),
  ];
}

interface WordRange {
  readonly words: readonly number[];
  /** True when the range covers every valid tick. */
  readonly isWhole: boolean;
}

/** `undefined` until the price and the tick spacing are loaded. */
function wordsAround({ slot0, tickSpacing }: Basics, reach: number): WordRange | undefined {
  if (slot0 === undefined || tickSpacing === undefined) return undefined;
  const { lowestWord, highestWord } = outermostWords(tickSpacing);
  const currentWord = wordOf({ tick: slot0.tick, tickSpacing });
  const radius = Math.ceil(NEAR_TICKS / (WORD_BITS * tickSpacing)) * reach;
  const from = Math.max(currentWord - radius, lowestWord);
  const to = Math.min(currentWord + radius, highestWord);
  const words = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  return { words, isWhole: from === lowestWord && to === highestWord };
}

/** Empty when a read failed. */
function hopsFrom({ pool, fee, reach }: LoaderParameters, { basics, words, nets }: LoadedData): readonly HopState[] {
  const { slot0, tickSpacing, liquidity, balance0, balance1 } = basics;
  const range = wordsAround(basics, reach);
  if (slot0 === undefined || tickSpacing === undefined || range === undefined) return [];
  if (liquidity === undefined || balance0 === undefined || balance1 === undefined) return [];
  const [lowestWord, highestWord] = [range.words[0] ?? 0, range.words.at(-1) ?? 0];
  const ticks = range.words.flatMap((word) => words.get(word) ?? []);
  const window: TickWindow = {
    lowestWord,
    highestWord,
    ticks: ticks.map((tick) => ({ tick, liquidityNet: nets.get(tick) ?? 0n })),
  };
  const state = { ...slot0, tickSpacing, liquidity, fee: BigInt(fee), window };
  return concentratedHops(pool, state, { balance0, balance1 });
}
