import { setTimeout as wait } from 'node:timers/promises';
import { type Attack, ATTACKS } from '../../test/resilience/hostile/attacks';
import { createProbe, type Probe } from '../../test/resilience/hostile/open-probe';
import { isExpected, type Outcome, type Target } from '../../test/resilience/hostile/target';
import { type Attacker, startAttacker } from './attacker-process';
import { percentile } from '../bench-quotes/report';
import { requireThat } from './chaos-failure';
import { requestActions, warmAgents } from './load';
import { startService } from './service-process';
import type { Scenario, ScenarioSetup } from './scenario';

/** Bounds of the service while it is attacked. */
const BOUNDS = {
  /** Time for which one request blocks the event loop. */
  blockedMs: 200,
  /** 99th percentile of another customer's requests, as a multiple of that without the attack. */
  slowdown: 3,
  /** Memory after all attacks, as a multiple of that before. */
  memory: 1.2,
} as const;
/** Requests of the other customer: 300 in each measurement, so that three of them lie above the percentile, and 900 without an attack. */
const STEADY = { perSecond: 25, warmUpSeconds: 8, undisturbedSeconds: 36, beforeSeconds: 1, minSeconds: 12 } as const;
const ONCE = { concurrency: 1, seconds: 0 } as const;
/** Time for the memory to be released. */
const RELEASE_MS = 60_000;

/** The default limits; those of the other scenarios are out of reach. */
const LIMITS = {
  RATE_LIMIT_PER_MINUTE: '100',
  RATE_LIMIT_PER_HOUR: '1000',
  RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: '60',
  TRUSTED_PROXIES: '1',
};

/** The other customer, with the connections that it keeps. */
interface OtherCustomer {
  readonly target: Target;
  readonly agents: ReturnType<typeof warmAgents>;
}

interface AttackSetup {
  /** The service as one attacker reaches it: with a key and an address of its own. */
  readonly targetOf: (name: string) => Promise<Target>;
  readonly attacker: Attacker;
  readonly other: OtherCustomer;
  readonly probe: Probe;
  /** 99th percentile of the other customer's requests without an attack. */
  readonly undisturbedMs: number;
}

/** Requests that could stop the service for the others: each alone, and many at a time. */
export const HOSTILE: readonly Scenario[] = [
  {
    name: 'hostile requests, each alone and as a flood, beside the requests of another customer',
    run: (setup) => withAttackSetup(setup, attackAll),
  },
];

async function withAttackSetup<Result>(
  setup: ScenarioSetup,
  work: (attacked: AttackSetup) => Promise<Result>,
): Promise<Result> {
  const probe = createProbe(setup.directory);
  const service = await startService({ ...setup.settings, ...LIMITS, ...probe.settings });
  const attacker = startAttacker();
  const agents = warmAgents(STEADY.perSecond);
  try {
    const { url } = service;
    const unlimited = ['--per-minute', '1000000', '--per-hour', '10000000'];
    const apiKey = await setup.createCustomer('other', ...unlimited);
    const other = { target: { url, apiKey, address: '192.0.2.1' }, agents };
    let attackers = 0;
    const targetOf = async (name: string): Promise<Target> => {
      const address = `198.51.100.${String((attackers += 1))}`;
      return { url, address, apiKey: await setup.createCustomer(name) };
    };
    await steadyRequests(other, () => wait(STEADY.warmUpSeconds * 1000));
    const { times } = await steadyRequests(other, () => wait(STEADY.undisturbedSeconds * 1000));
    return await work({ targetOf, attacker, other, probe, undisturbedMs: percentile(times, 99) });
  } finally {
    for (const agent of agents) agent.destroy();
    attacker.stop();
    await service.stop();
  }
}

async function attackAll(attacked: AttackSetup): Promise<readonly string[]> {
  const { probe, targetOf, attacker, undisturbedMs } = attacked;
  // Once before the memory is measured: code is compiled and caches are filled.
  const target = await targetOf('first attacker');
  for (const { name } of ATTACKS) await attacker.send({ attack: name, target, ...ONCE });
  const before = await probe.memory();
  const results: MeasuredAttack[] = [];
  for (const attack of ATTACKS) results.push(await measure(attack, attacked));
  const growth = await memoryGrowth(probe, before.rss);
  const lines = [
    `without an attack: p99 ${undisturbedMs.toFixed(1)} ms`,
    ...results.map(describe),
    `memory: ${growth.toFixed(2)} of that before (at most ${BOUNDS.memory})`,
  ];
  const problems = [
    ...results.flatMap((result) => problemsOf(result, undisturbedMs)),
    ...(growth <= BOUNDS.memory ? [] : [`the memory is ${growth.toFixed(2)} of that before`]),
  ];
  requireThat(problems.length === 0, `${problems.join('\n        ')}\n        ${lines.join('\n        ')}`);
  return lines;
}

interface MeasuredAttack {
  readonly name: string;
  /** Longest time that one request alone blocked the event loop. */
  readonly blockedMs: number;
  /** Longest time that the event loop was blocked during the flood. */
  readonly floodBlockedMs: number;
  /** 99th percentile of the other customer's requests during the flood. */
  readonly p99: number;
  readonly failures: readonly string[];
  readonly outcomes: readonly Outcome[];
}

async function measure(
  { name, flood }: Attack,
  { targetOf, attacker, other, probe }: AttackSetup,
): Promise<MeasuredAttack> {
  const target = await targetOf(name);
  await probe.blockedMs();
  const alone = await attacker.send({ attack: name, target, ...ONCE });
  const blockedMs = await probe.blockedMs();
  // The other customer sends its requests before the attack, too.
  await steadyRequests(other, () => wait(STEADY.beforeSeconds * 1000));
  const { times, failures, result } = await steadyRequests(other, () =>
    attacker.send({ attack: name, target, concurrency: flood, seconds: STEADY.minSeconds }),
  );
  const floodBlockedMs = await probe.blockedMs();
  return { name, blockedMs, floodBlockedMs, p99: percentile(times, 99), failures, outcomes: [...alone, ...result] };
}

/** Sends requests of another customer at a steady rate until the work ends. */
async function steadyRequests<Result>({ target, agents }: OtherCustomer, work: () => Promise<Result>) {
  const [times, failures, running]: [number[], string[], Promise<void>[]] = [[], [], []];
  const send = async (agent: (typeof agents)[number]): Promise<void> => {
    const sentAt = performance.now();
    const failure = await requestActions(target, agent);
    times.push(performance.now() - sentAt);
    if (failure !== undefined) failures.push(failure);
  };
  let next = 0;
  const timer = setInterval(() => {
    const agent = agents[(next += 1) % agents.length];
    if (agent !== undefined) running.push(send(agent));
  }, 1000 / STEADY.perSecond);
  const result = await work().finally(() => clearInterval(timer));
  await Promise.all(running);
  return { times, failures, result };
}

async function memoryGrowth(probe: Probe, before: number): Promise<number> {
  const until = performance.now() + RELEASE_MS;
  for (;;) {
    const growth = (await probe.memory()).rss / before;
    if (growth <= BOUNDS.memory || performance.now() > until) return growth;
    await wait(2000);
  }
}

const describe = ({ name, blockedMs, floodBlockedMs, p99, outcomes }: MeasuredAttack): string => {
  const counts = new Map<Outcome, number>();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const shown = [...counts].map(([outcome, count]) => `${count} x ${outcome}`).join(', ');
  return `${name}: alone blocks for ${blockedMs.toFixed(0)} ms; flooded, ${floodBlockedMs.toFixed(0)} ms, and others have p99 ${p99.toFixed(1)} ms (${shown})`;
};

function problemsOf(
  { name, blockedMs, p99, failures, outcomes }: MeasuredAttack,
  undisturbedMs: number,
): readonly string[] {
  const unexpected = outcomes.filter((outcome) => !isExpected(outcome));
  return [
    ...(blockedMs <= BOUNDS.blockedMs ? [] : [`${name}: blocked for ${blockedMs.toFixed(0)} ms`]),
    ...(p99 <= BOUNDS.slowdown * undisturbedMs ? [] : [`${name}: others have p99 ${p99.toFixed(1)} ms`]),
    ...(failures.length === 0 ? [] : [`${name}: ${failures.length} requests of others failed: ${failures[0] ?? ''}`]),
    ...(unexpected.length === 0 ? [] : [`${name}: got ${unexpected.join(', ')}`]),
  ];
}
