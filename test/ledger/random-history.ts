import { NATIVE_TOKEN } from '../../src/chains/addresses';
import type { ScriptedChain, ScriptedTransaction } from '../actions/scripted-chain';
import { misbehave, NODE_FAULTS } from './node-faults';
import { TOKEN, transfers, wallet } from './scripted-ledger';

/** What happens to a chain, its node and the process that reads it. */
export interface HistoryPlan {
  readonly seed: number;
  /** Transfers of tokens and coin between random wallets, several in some blocks. */
  readonly events: number;
  readonly wallets: number;
  /** The first ones of the wallets. */
  readonly watched: number;
  readonly reorganisations: number;
  readonly maxDepth: number;
  readonly kills: number;
  /** Blocks that are mined while no process runs. */
  readonly blocksPerKill: number;
}

/** The process under test. */
export interface HistoryDriver {
  readonly node: ScriptedChain;
  /** Lets the process read for a while. */
  advance(): Promise<void>;
  /** Ends the process in the middle of its work, without a chance to react. */
  kill(): Promise<void>;
  /** Starts another process in its place. */
  restart(): Promise<void>;
}

interface Event {
  readonly from: number;
  readonly to: number;
  readonly token: string;
  readonly amount: bigint;
  /** True for coin whose transaction reverts. */
  readonly isReverted: boolean;
}
type Step = 'mine' | 'reorganise' | 'kill' | 'fault';

const COIN = NATIVE_TOKEN.toLowerCase();
const TOKENS = [TOKEN, `0x${'71'.repeat(20)}`, `0x${'72'.repeat(20)}`, COIN];
const MAX_EVENTS_PER_BLOCK = 5;

/** A repeatable source of whole numbers from 0 to below `limit`. */
type Draw = (limit: number) => number;

function createDraw(seed: number): Draw {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/**
 * Plays a random history. Returns the movements of the watched wallets that the chain has in the end, computed from what was
 * mined alone, in the form of `movementText`.
 */
export async function playHistory(plan: HistoryPlan, driver: HistoryDriver): Promise<readonly string[]> {
  const draw = createDraw(plan.seed);
  const chain: (readonly Event[])[] = driver.node.hashes().map(() => []);
  const mine = (events: readonly Event[]): void => {
    chain.push(events);
    driver.node.mine(...transactionsOf(events));
  };
  for (const step of stepsOf(plan, draw)) {
    if (step.kind === 'mine') mine(step.events);
    else if (step.kind === 'reorganise') reorganise({ driver, chain, mine, draw }, plan.maxDepth);
    else if (step.kind === 'fault') misbehave(driver.node, oneOf(NODE_FAULTS, draw), draw(20));
    else {
      await driver.kill();
      for (let count = 0; count < plan.blocksPerKill; count += 1) mine(randomEvents(plan, draw, draw(2)));
      await driver.restart();
    }
    if (draw(10) < 4) await driver.advance();
  }
  driver.node.intercept = () => undefined;
  mine([]);
  return expectedMovements(chain, plan.watched);
}

type PlannedStep =
  { readonly kind: 'mine'; readonly events: readonly Event[] } | { readonly kind: Exclude<Step, 'mine'> };

function stepsOf(plan: HistoryPlan, draw: Draw): readonly PlannedStep[] {
  const steps: PlannedStep[] = [];
  for (let left = plan.events; left > 0;) {
    const events = randomEvents(plan, draw, Math.min(left, draw(MAX_EVENTS_PER_BLOCK + 1)));
    left -= events.length;
    steps.push({ kind: 'mine', events });
  }
  const counts = [
    ['reorganise', plan.reorganisations],
    ['kill', plan.kills],
    ['fault', 2 * NODE_FAULTS.length],
  ] as const;
  for (const [kind, count] of counts) {
    for (let added = 0; added < count; added += 1) steps.splice(draw(steps.length + 1), 0, { kind });
  }
  return steps;
}

const randomEvents = ({ wallets }: HistoryPlan, draw: Draw, count: number): readonly Event[] =>
  Array.from({ length: count }, () => {
    const token = oneOf(TOKENS, draw);
    return {
      from: draw(wallets),
      to: draw(wallets),
      token,
      amount: BigInt(draw(1_000_000)) ** BigInt(1 + draw(4)),
      isReverted: token === COIN && draw(4) === 0,
    };
  });

function oneOf<Item>(items: readonly Item[], draw: Draw): Item {
  const item = items[draw(items.length)];
  if (item === undefined) throw new TypeError('there are none');
  return item;
}

/** Some transactions have one event, as a transfer; others have all of the block, as a swap or a batch of a Safe. */
const transactionsOf = (events: readonly Event[]): readonly ScriptedTransaction[] => {
  const sent = events
    .filter(({ token }) => token !== COIN)
    .map(({ from, to, token, amount }) => ({ from: wallet(from), to: wallet(to), token, amount }));
  const coins = events
    .filter(({ token }) => token === COIN)
    .map(({ from, to, amount, isReverted }) => ({
      from: wallet(from),
      to: wallet(to),
      value: amount,
      reverted: isReverted,
    }));
  return [...(sent.length % 2 === 0 ? sent.map((one) => transfers(one)) : [transfers(...sent)]), ...coins];
};

interface Mining {
  readonly driver: HistoryDriver;
  readonly chain: (readonly Event[])[];
  readonly mine: (events: readonly Event[]) => void;
  readonly draw: Draw;
}

/** Replaces the newest blocks: each of their events is mined elsewhere, mined again in its place, or lost. */
function reorganise({ driver, chain, mine, draw }: Mining, maxDepth: number): void {
  const depth = Math.min(1 + draw(maxDepth), chain.length - 1);
  if (depth === 0) return;
  const removed = chain.splice(chain.length - depth);
  driver.node.removeBlocks(depth);
  for (const events of removed) mine(events.filter(() => draw(3) > 0));
  mine(removed.flat().filter(() => draw(10) === 0));
}

/** A movement as text: height, kind, wallet, counterparty, token, amount. */
export const movementText = (...parts: readonly (bigint | number | string)[]): string => parts.join(' ');

const expectedMovements = (chain: readonly (readonly Event[])[], watched: number): readonly string[] =>
  chain
    .flatMap((events, height) =>
      events.flatMap(({ from, to, token, amount, isReverted }) => {
        if (amount === 0n || isReverted) return [];
        const [sender, receiver] = [wallet(from), wallet(to)];
        return [
          ...(from < watched ? [movementText(height, 'transferOut', sender, receiver, token, amount)] : []),
          ...(to < watched ? [movementText(height, 'transferIn', receiver, sender, token, amount)] : []),
        ];
      }),
    )
    .sort();
