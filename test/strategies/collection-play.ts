import type { Hex } from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import type { CollectionWorld } from './collection-world';
import type { StrategyChain } from './local-strategies';

const BPS = 10_000n;
/** Digits of shares in the model, so that its own rounding is nothing. */
const SCALE = 10n ** 12n;
const MILLION = 1_000_000n;

/** What happens next: an act of a wallet, of the market, or of the hostile controller. Parts are in millionths. */
export interface CollectionStep {
  readonly kind:
    | 'deposit'
    | 'withdraw'
    | 'transfer'
    | 'enrol'
    | 'leave'
    | 'earn'
    | 'lose'
    | 'wait'
    | 'collect'
    | 'setEntry'
    | 'pause';
  readonly who: number;
  readonly other: number;
  readonly part: bigint;
  readonly bps: number;
  readonly flag: boolean;
  /** The period of a collection, counted from the one before the wallet's last one. */
  readonly periodId: bigint;
}

interface Player {
  readonly account: DevnetAccount;
  /** Whether the wallet records its balance after each movement. */
  readonly records: boolean;
}

/** Shares, scaled, with the highest price since the wallet has had them. */
interface Lot {
  shares: bigint;
  highRay: bigint;
}

/** What an enrolled wallet has earned by the model, with each lot by itself, and what was taken from it. */
interface Enrolment {
  maxBps: bigint;
  lots: Lot[];
  /** Scaled assets, as a ray. */
  profit: bigint;
  taken: bigint;
  /** One share for each collection, in assets as a ray. */
  rounding: bigint;
}

interface State {
  readonly enrolments: Map<number, Enrolment>;
  readonly lastPeriods: Map<number, bigint>;
  version: bigint;
  isLive: boolean;
  isPaused: boolean;
  collected: bigint;
}

interface Play {
  readonly world: CollectionWorld;
  readonly local: StrategyChain;
  readonly key: Hex;
  readonly players: readonly Player[];
  /** Consent with which all wallets are enrolled at first. */
  readonly enrolledBps: number;
}

/** Plays steps on the chain, and checks after each that no wallet has paid more than it has consented to. Returns the collections. */
export async function playCollections(play: Play, steps: readonly CollectionStep[]): Promise<number> {
  const { version } = await play.world.entry(play.key);
  const state: State = {
    enrolments: new Map(await Promise.all(play.players.map((_, who) => enrolmentOf(play, who, play.enrolledBps)))),
    lastPeriods: new Map(),
    version,
    isLive: true,
    isPaused: false,
    collected: 0n,
  };
  let collections = 0;
  for (const step of steps) {
    if (step.kind === 'collect') collections += (await collect(play, state, step)) ? 1 : 0;
    else await ACTS[step.kind](play, state, step);
    await settle(play, state);
    await checkTotals(play, state);
  }
  return collections;
}

type Act = (play: Play, state: State, step: CollectionStep) => Promise<void>;

const playerOf = ({ players }: Play, index: number): Player => players[index]!;

const ACTS: Readonly<Record<Exclude<CollectionStep['kind'], 'collect'>, Act>> = {
  async deposit(play, state, { who, part }) {
    await play.world.deposit(playerOf(play, who).account, 1000n * part);
    await moved(play, state, who);
  },
  async withdraw(play, state, { who, part, flag }) {
    const { account } = playerOf(play, who);
    const balance = await play.world.shares(account.address);
    const isAll = flag && part > (MILLION * 9n) / 10n;
    const shares = isAll ? balance : (balance * part) / MILLION / 2n;
    if (shares > 0n) await play.world.redeem(account, shares);
    await moved(play, state, who);
  },
  async transfer(play, state, { who, other, part }) {
    const { account } = playerOf(play, who);
    const shares = ((await play.world.shares(account.address)) * part) / MILLION;
    await play.world.transfer(account, playerOf(play, other).account.address, shares);
    await moved(play, state, who);
    await moved(play, state, other);
  },
  async enrol(play, { enrolments }, { who, bps }) {
    await play.world.enrol(playerOf(play, who).account, play.key, bps);
    const former = enrolments.get(who);
    if (former === undefined) enrolments.set(...(await enrolmentOf(play, who, bps)));
    else if (former.maxBps < BigInt(bps)) former.maxBps = BigInt(bps);
  },
  async leave({ world, key, players }, { enrolments }, { who }) {
    if (enrolments.delete(who)) await world.leave(players[who]!.account, key);
  },
  earn: async ({ world }, _, { part, flag }) => {
    const assets = await world.totalAssets();
    // Mostly as a strategy earns, at times a sudden multiple.
    await world.earn(1n + (assets * part) / MILLION / (flag ? 1n : 20n));
  },
  async lose({ world }, _, { part }) {
    await world.lose(((await world.totalAssets()) * part) / MILLION / 10n);
  },
  wait: ({ local }, _, { part }) => local.wait(Number((part * 40n * 86_400n) / MILLION)),
  async setEntry({ world, key }, state, { part, bps, flag, who }) {
    const performanceBps = Math.floor((bps * Number(part)) / Number(MILLION));
    const changes = { performanceBps, markupBps: bps - performanceBps, live: flag || who > 0 };
    await world.setEntry(key, changes, state.version);
    state.version += 1n;
    state.isLive = changes.live;
  },
  async pause({ world }, state, { flag, who }) {
    const isPaused = flag && who === 0;
    if (isPaused !== state.isPaused) await world.setPaused(isPaused);
    state.isPaused = isPaused;
  },
};

/** An enrolment that begins now. */
async function enrolmentOf({ world, players }: Play, who: number, bps: number): Promise<[number, Enrolment]> {
  const shares = (await world.shares(players[who]!.account.address)) * SCALE;
  const lots = [{ shares, highRay: await world.price() }];
  return [who, { maxBps: BigInt(bps), lots, profit: 0n, taken: 0n, rounding: 0n }];
}

/** The movement of a wallet in the contract, and in the model. */
async function moved(play: Play, { enrolments }: State, who: number): Promise<void> {
  const enrolment = enrolments.get(who);
  const { account, records } = playerOf(play, who);
  if (enrolment === undefined) return;
  if (records) await play.world.record(account, play.key);
  adjustLots(enrolment, (await play.world.shares(account.address)) * SCALE, await play.world.price());
}

/** New shares are a lot of their own; those that leave come from all lots alike. */
function adjustLots(enrolment: Enrolment, shares: bigint, highRay: bigint): void {
  const { lots } = enrolment;
  const held = lots.reduce((sum, lot) => sum + lot.shares, 0n);
  if (shares > held) lots.push({ shares: shares - held, highRay });
  else for (const lot of lots) lot.shares = held === 0n ? 0n : (lot.shares * shares) / held;
}

/** Profit of the lots whose price is higher than ever. */
async function settle({ world }: Play, { enrolments }: State): Promise<void> {
  const priceRay = await world.price();
  for (const enrolment of enrolments.values()) {
    for (const lot of enrolment.lots.filter(({ highRay }) => highRay < priceRay)) {
      enrolment.profit += lot.shares * (priceRay - lot.highRay);
      lot.highRay = priceRay;
    }
  }
}

const periodAfter = (lastPeriod: bigint, { periodId }: CollectionStep): bigint =>
  lastPeriod === 0n ? periodId : lastPeriod - 1n + periodId;

/** At times more than what is collectable. */
const sharesOf = (collectable: bigint, { part }: CollectionStep): bigint =>
  part % 5n === 4n ? collectable + part : (collectable * part) / MILLION;

const isCollecting = ({ isLive, isPaused }: State): boolean => isLive && !isPaused;

/** Days in which the vault earns: the registry counts growth by the day. */
async function passPeriod({ world, local }: Play, { part, flag, who }: CollectionStep): Promise<void> {
  if (!flag && who === 0) return;
  await world.earn(1n + ((await world.totalAssets()) * part) / MILLION / 50n);
  await local.wait(5 * 86_400);
}

/** A collection with arguments of the controller's choice, mostly after a period. Returns whether it was executed. */
async function collect(play: Play, state: State, step: CollectionStep): Promise<boolean> {
  const { world, key } = play;
  await passPeriod(play, step);
  await settle(play, state);
  const { account, records } = playerOf(play, step.who);
  const wallet = account.address;
  const [collectable, before, mark, priceRay] = await Promise.all([
    world.collectable(key, wallet),
    world.shares(wallet),
    world.mark(key, wallet),
    world.price(),
  ]);
  const shares = sharesOf(collectable, step);
  const lastPeriod = state.lastPeriods.get(step.who) ?? 0n;
  const periodId = periodAfter(lastPeriod, step);
  const enrolment = state.enrolments.get(step.who);
  const mayCollect = shares > 0n && periodId > lastPeriod && isCollecting(state);
  const events = await world.collect(key, wallet, { periodId, shares }).catch(() => undefined);
  if (enrolment === undefined || !mayCollect) {
    expect(events).toBeUndefined();
    return false;
  }
  // More than the view has shown may have become collectable by the next block.
  if (shares <= collectable) expect(events).toHaveLength(1);
  if (events === undefined) return false;

  state.lastPeriods.set(step.who, periodId);
  state.collected += shares;
  const after = await world.shares(wallet);
  expect([before - after, events[0]!.performanceShares + events[0]!.markupShares]).toEqual([shares, shares]);
  expect((await world.mark(key, wallet)).markRay).toBeGreaterThan(mark.markRay);
  checkCollection({ shares, before, priceRay, markRay: mark.markRay, maxBps: BigInt(mark.maxBps) });
  await settle(play, state);
  if (records) checkEnrolment(enrolment, { shares, priceRay });
  adjustLots(enrolment, after * SCALE, priceRay);
  return true;
}

interface Taken {
  readonly before: bigint;
  readonly shares: bigint;
  readonly priceRay: bigint;
  readonly markRay: bigint;
  readonly maxBps: bigint;
}

/** Bounds of each collection, whatever the wallet has recorded. */
function checkCollection({ before, shares, priceRay, markRay, maxBps }: Taken): void {
  expect(shares * priceRay * BPS).toBeLessThanOrEqual(before * (priceRay - markRay) * maxBps);
  // Principal stays: the remainder is worth what all shares were worth at the mark.
  expect((before - shares) * priceRay).toBeGreaterThanOrEqual(before * markRay);
  // 30 days of 1 % count at once.
  expect(shares * BPS * 10n).toBeLessThanOrEqual(before * maxBps * 3n);
}

/** Bound of all collections of a wallet that records its movements: its part of what it has earned since it enrolled. */
function checkEnrolment(enrolment: Enrolment, { shares, priceRay }: Pick<Taken, 'shares' | 'priceRay'>): void {
  enrolment.taken += shares * priceRay;
  enrolment.rounding += priceRay;
  const bound = enrolment.profit * enrolment.maxBps + enrolment.rounding * SCALE * BPS;
  expect(enrolment.taken * SCALE * BPS).toBeLessThanOrEqual(bound);
}

/** All that was taken is with the recipients; the registry holds nothing. */
async function checkTotals({ world }: Play, { collected }: State): Promise<void> {
  const [performance, markup, registry] = await world.received();
  expect([performance + markup, registry]).toEqual([collected, 0n]);
}
