import { type Address, getAddress, type Hex, maxUint256 } from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import { TEST_SEED } from '../setup/seed';
import { universeOfTests } from '../setup/universe-of-tests';
import { mint } from './local-strategies';
import {
  depositData,
  type DepositTerms,
  LATER,
  openRouterWorld,
  ROUTER,
  type RouterMarket,
  type RouterWorld,
  usdc,
  type WithdrawalTerms,
  withdrawalData,
} from './router-world';
import { signerOf } from './router-signer';

const STEPS = 120;
const [COLLECTOR, PARTNER, FRIEND] = [1, 2, 3].map((index) =>
  getAddress(`0x${(0xfee0 + index).toString(16).padStart(40, '0')}`),
) as [Address, Address, Address];

let world: RouterWorld;
beforeAll(async () => {
  world = await openRouterWorld(await universeOfTests());
  // What lies in the router belongs to no caller.
  await mint(world.local, world.attacker, [world.asset, ROUTER, usdc('12')]);
  await mint(world.local, world.attacker, [world.hostile.receipt, ROUTER, usdc('3')]);
});

/** A generator of the seed (mulberry32): the same sequence each time. */
function randomOf(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** True for this share of the cases. */
    chance: (share: number): boolean => next() < share,
    pick: <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)]!,
    upTo: (maximum: bigint): bigint => (maximum * BigInt(Math.floor(next() * 1_000_000))) / 1_000_000n,
  };
}
type Random = ReturnType<typeof randomOf>;

interface RandomCall {
  readonly text: string;
  readonly account: DevnetAccount;
  readonly data: Hex;
  readonly terms: DepositTerms | WithdrawalTerms;
}

/** Terms of one market, some of them with a contract or a receipt token of another one, a wrong receiver or no time left. */
function commonTerms(random: Random, market: RouterMarket) {
  const other = random.pick(world.all);
  const fees = [COLLECTOR, PARTNER, ROUTER, world.hostile.market].filter((_, index) =>
    random.chance(index < 2 ? 0.5 : 0.03),
  );
  return {
    market: random.chance(0.1) ? other.market : market.market,
    asset: random.chance(0.05) ? other.receipt : market.asset,
    receipt: random.chance(0.1) ? other.receipt : market.receipt,
    receiver: random.pick([
      world.user.address,
      FRIEND,
      FRIEND,
      world.attacker.address,
      ...(random.chance(0.1) ? [ROUTER] : []),
    ]),
    fees: fees.map((recipient) => ({ recipient, amount: random.upTo(usdc('2')) })),
    deadline: random.chance(0.05) ? 1n : LATER,
  };
}

function randomCall(random: Random): RandomCall {
  const account = random.pick([world.user, world.user, world.attacker]);
  const market = random.pick(world.all);
  const common = commonTerms(random, market);
  if (random.chance(0.5)) {
    const functionName = random.chance(0.1) ? random.pick(world.all).deposit : market.deposit;
    const minReceipt = random.chance(0.7) ? 0n : random.upTo(usdc('60'));
    const terms = { ...common, assets: random.upTo(usdc('50')), minReceipt };
    return { text: `${functionName} ${market.name}`, account, data: depositData(functionName, terms), terms };
  }
  const functionName = random.pick(random.chance(0.1) ? random.pick(world.all).withdrawals : market.withdrawals);
  const amount =
    random.upTo(usdc('40')) * (functionName === 'redeemVault' && market !== world.hostile ? 10n ** 6n : 1n);
  const terms = {
    ...common,
    amount: random.chance(0.05) ? maxUint256 : amount,
    maxReceipt: random.chance(0.9) ? maxUint256 : amount,
    minAssets: random.chance(0.7) ? 0n : random.upTo(usdc('40')),
  };
  return { text: `${functionName} ${market.name}`, account, data: withdrawalData(functionName, terms), terms };
}

const shares = [0n, 5000n, 9999n, 10_000n, 10_000n, 10_000n, 10_001n, 20_000n];

async function changeBehaviour(random: Random): Promise<void> {
  const reentry = randomCall(random).data;
  await world.behave(world.attacker, {
    takenBps: random.pick(shares),
    mintedBps: random.pick(shares),
    burntBps: random.pick(shares),
    paidBps: random.pick(shares),
    returned: random.chance(0.2) ? 7n : 0n,
    leaked: random.chance(0.2) ? 7n : 0n,
    ...(random.chance(0.4) ? { target: ROUTER, data: reentry } : {}),
  });
}

const gainOf = async (token: Address, owner: Address, work: () => Promise<boolean>) => {
  const before = await world.balanceOf(token, owner);
  return { isDone: await work(), gain: (await world.balanceOf(token, owner)) - before };
};

/** What the receiver has gained at least, by the terms. */
const minimumOf = (terms: RandomCall['terms']): { readonly token: Address; readonly minimum: bigint } =>
  'assets' in terms
    ? { token: terms.receipt, minimum: terms.minReceipt }
    : { token: terms.asset, minimum: terms.minAssets };

/** Sends a call and compares its effects with what its terms allow. Resolves to whether it succeeded. */
async function checkCall({ account, data, terms }: RandomCall): Promise<boolean> {
  const { token, minimum } = minimumOf(terms);
  const collected = await world.balanceOf(terms.asset, COLLECTOR);
  const { isDone, gain } = await gainOf(token, terms.receiver, () => signerOf(world.local)(account, data));
  const paid = (await world.balanceOf(terms.asset, COLLECTOR)) - collected;
  const due = terms.fees.find(({ recipient }) => recipient === COLLECTOR)?.amount ?? 0n;
  // Receipt tokens that grow are rounded when they are moved.
  if (terms.asset === world.asset) expect(paid).toBe(isDone ? due : 0n);
  if (isDone && hasSeparateReceiver(terms)) expect(gain).toBeGreaterThanOrEqual(minimum);
  return isDone;
}

/** False when a receiver also gains a fee, or pays with the token that it receives. */
const hasSeparateReceiver = (terms: RandomCall['terms']): boolean =>
  terms.fees.every(({ recipient }) => recipient !== terms.receiver) &&
  ('minAssets' in terms || terms.receipt !== terms.asset);

it('keeps and loses nothing, moves no tokens of others, enforces minimums and pays exact fees in any sequence of calls', async () => {
  const random = randomOf(TEST_SEED);
  const start = { router: await world.holdings(), victim: await world.wealthOf(world.victim.address) };
  const outcomes = { done: 0, refused: 0 };
  for (let step = 0; step < STEPS; step += 1) {
    if (random.chance(0.25)) await changeBehaviour(random);
    const call = randomCall(random);
    try {
      const isDone = await checkCall(call);
      outcomes[isDone ? 'done' : 'refused'] += 1;
      expect(await world.holdings()).toEqual(start.router);
      const victim = await world.wealthOf(world.victim.address);
      expect(victim.every((amount, index) => amount >= start.victim[index]!)).toBe(true);
    } catch (cause) {
      throw new Error(`seed ${String(TEST_SEED)}, step ${String(step)}: ${call.text}`, { cause });
    }
  }
  expect(await world.reentries()).toBe(0n);
  expect(outcomes.done).toBeGreaterThan(STEPS / 6);
  expect(outcomes.refused).toBeGreaterThan(STEPS / 6);
});
