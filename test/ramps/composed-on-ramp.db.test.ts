import fc from 'fast-check';
import type { Hex } from 'viem';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { rejection, USDC } from '../swaps/swap-world';
import { CONFIRMATIONS, FAIR_AMOUNT_OUT, MIN_AMOUNT_OUT, onRampWorld, type OnRampWorld, PAID } from './composed-world';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const mineFinal = ({ chain }: OnRampWorld): void => {
  for (let block = 0; block <= CONFIRMATIONS; block += 1) chain.mine();
};

/** An on-ramp with a recorded settlement. */
async function paidWorld(): Promise<OnRampWorld> {
  const world = await onRampWorld(test);
  world.paid();
  mineFinal(world);
  await world.poll();
  expect(world.checkpoint).toMatchObject({ payment: { amount: PAID.toString() } });
  return world;
}

async function pollTimes(world: OnRampWorld, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await world.poll();
    world.chain.mine();
  }
}

describe('a settlement of a ramp to the service', () => {
  it('is continued once it is final, not before', async () => {
    const world = await onRampWorld(test);
    expect(await world.poll()).toMatchObject({ waitingFor: 'DEPOSIT' });
    world.paid();
    expect(await world.poll()).toEqual({ status: 'inFlight', waitingFor: 'DESTINATION' });
    expect(world.checkpoint).toBeUndefined();
    mineFinal(world);
    await pollTimes(world, 3);
    expect(await world.poll()).toMatchObject({ status: 'delivered', partial: false });
    expect(world.chain.effects).toEqual(['leg']);
  });

  it('counts for one action only', async () => {
    const [world, other] = [await paidWorld(), await onRampWorld(test)];
    const { payment } = world.checkpoint as { payment: { txHash: Hex } };
    other.paidAmong([PAID], { hash: payment.txHash });
    mineFinal(other);
    expect(String(await rejection(other.poll()))).toContain('belongs to another action');
    mineFinal(other);
    expect(other.chain.effects).toEqual([]);
  });

  it('in a transaction with several payees counts once for each of them', async () => {
    const worlds = [await onRampWorld(test), await onRampWorld(test), await onRampWorld(test)] as const;
    const amounts = [PAID / 2n, PAID, PAID + 1n];
    const hash = worlds[0].paidAmong(amounts);
    for (const world of worlds.slice(1)) world.paidAmong(amounts, { hash });
    for (const world of worlds) mineFinal(world);
    const [first, second, third] = worlds;
    await Promise.all([first.poll(), second.poll()]);
    await Promise.all([first.poll(), second.poll()]);
    const amountsPaid = [first, second].map(
      ({ checkpoint }) => (checkpoint as { payment: { amount: string } }).payment.amount,
    );
    expect(amountsPaid).toEqual([PAID.toString(), PAID.toString()]);
    // Half of the amount belongs to neither of the two actions.
    expect(String(await rejection(third.poll()))).toContain('belongs to another action');
    third.paidAmong(amounts, { hash, amount: PAID / 2n });
    mineFinal(third);
    await third.poll();
    expect(third.checkpoint).toMatchObject({ payment: { amount: (PAID / 2n).toString() } });
  });

  it('is awaited, with a reason, while the ramp reports a transaction without a payment', async () => {
    const world = await onRampWorld(test);
    world.paid(0n);
    mineFinal(world);
    expect(String(await rejection(world.poll()))).toContain('contains no payment');
  });

  it('is limited to the reported amount when its transaction paid more', async () => {
    const world = await onRampWorld(test);
    world.paid(3n * PAID);
    world.money.state = { ...(world.money.state as object), amountOut: PAID } as never;
    mineFinal(world);
    await world.poll();
    expect(world.checkpoint).toMatchObject({ payment: { amount: PAID.toString() } });
  });

  it('waits for the gas of its transactions, and is retried', async () => {
    const world = await paidWorld();
    world.chain.balance = 0n;
    for (let count = 0; count < 3; count += 1)
      expect(String(await rejection(world.poll()))).toContain('too little of the native coin');
    world.exceedSwapTimeout();
    expect(String(await rejection(world.poll()))).toContain('too little of the native coin');
    expect(world.chain.effects).toEqual([]);
    world.chain.balance = 10n ** 20n;
    await pollTimes(world, 2);
    expect(world.chain.effects).toEqual(['leg']);
  });

  it('is not continued by another wallet than the payee', async () => {
    const world = await paidWorld();
    const { wallet, ...others } = await onRampWorld(test);
    const rotated = others.replica({ tickets: world.tickets });
    expect(wallet).not.toBe(world.wallet);
    expect(String(await rejection(world.poll(rotated)))).toContain('a wallet that the service no longer holds');
  });
});

describe('a price below the minimum', () => {
  it('is polled, and accepted when it recovers', async () => {
    const world = await paidWorld();
    world.market.price = MIN_AMOUNT_OUT - 1n;
    await pollTimes(world, 4);
    expect(world.chain.effects).toEqual([]);
    world.market.price = MIN_AMOUNT_OUT;
    await pollTimes(world, 2);
    expect(await world.poll()).toMatchObject({ status: 'delivered' });
    expect(world.chain.effects).toEqual(['leg']);
  });

  it.each(['too low', 'unavailable'])('that stays %s sends the ramp token to the customer, once', async (how) => {
    const world = await paidWorld();
    if (how === 'unavailable') world.market.isOpen = false;
    else world.market.price = MIN_AMOUNT_OUT / 2n;
    await pollTimes(world, 2);
    world.exceedSwapTimeout();
    await pollTimes(world, 2);
    Object.assign(world.market, { price: FAIR_AMOUNT_OUT, isOpen: true });
    await pollTimes(world, 4);
    expect(await world.poll()).toMatchObject({
      status: 'refunded',
      amount: PAID,
      chainId: 31_337,
      token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      reason: expect.stringContaining('USDC was sent instead'),
    });
    expect(world.chain.effects).toEqual(['anchor']);
  });

  it('after the swap was sent reverts it, and the swap is repeated after finality, at most three times', async () => {
    const world = await paidWorld();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      world.market.price = FAIR_AMOUNT_OUT;
      await world.poll();
      expect(world.chain.waiting).toBe(1);
      world.market.price = MIN_AMOUNT_OUT - 1n;
      world.chain.mine();
      await world.poll();
      expect(world.chain.waiting).toBe(0);
      mineFinal(world);
    }
    world.market.price = FAIR_AMOUNT_OUT;
    await pollTimes(world, 3);
    expect(world.chain.effects).toEqual([]);
    world.exceedSwapTimeout();
    await pollTimes(world, 3);
    expect(world.chain.effects).toEqual(['anchor']);
  });
});

describe('a settlement that arrives after its action has failed', () => {
  it('is sent on as the ramp token at any price, with a reason', async () => {
    const world = await onRampWorld(test);
    world.expire();
    expect(await world.poll()).toMatchObject({ waitingFor: 'DEPOSIT' });
    world.paid();
    expect(await world.poll()).toMatchObject({ status: 'refunding' });
    mineFinal(world);
    await pollTimes(world, 3);
    expect(await world.poll()).toMatchObject({
      status: 'refunded',
      amount: PAID,
      token: USDC.address,
      reason: 'The payment arrived after the action had failed: USDC was sent instead, as the ramp had paid it',
    });
    expect(world.chain.effects).toEqual(['anchor']);
  });

  it('is not sent in addition to the output of an earlier swap', async () => {
    const world = await paidWorld();
    await world.poll();
    world.expire();
    await pollTimes(world, 3);
    expect(await world.poll()).toMatchObject({ status: 'delivered' });
    expect(world.chain.effects).toEqual(['leg']);
  });
});

/** Dependencies of a replica that was stopped beyond its lease. */
const withoutLease = ({ tickets }: OnRampWorld) => ({
  tickets: { ...tickets, lease: () => Promise.resolve(new Date()), release: () => Promise.resolve() },
});

describe('a replica that was stopped during a poll, while another one took over,', () => {
  type Steer = (world: OnRampWorld) => void;
  const inTheMiddle = async (before: Steer, meanwhile: Steer) => {
    const world = await paidWorld();
    world.exceedSwapTimeout();
    before(world);
    world.market.meanwhile = async () => {
      meanwhile(world);
      await world.poll(world.replica(withoutLease(world)));
      before(world);
    };
    await world.poll(world.replica(withoutLease(world)));
    expect(world.chain.waiting).toBe(1);
    mineFinal(world);
    await pollTimes(world, 3);
    return world.chain.effects;
  };
  const [open, close] = [true, false].map((isOpen) => (world: OnRampWorld) => {
    world.market.isOpen = isOpen;
  }) as [Steer, Steer];

  it('does not send the ramp token in addition to the swap of the other', async () => {
    expect(await inTheMiddle(close, open)).toEqual(['leg']);
  });

  it('does not swap in addition to the ramp token that the other has sent', async () => {
    expect(await inTheMiddle(open, close)).toEqual(['anchor']);
  });
});

type Step = (world: OnRampWorld) => unknown;
const step = (name: string, run: Step) => ({ run, toString: () => name });
const quiet = (poll: Promise<unknown>) => poll.catch(() => undefined);

const steps = fc.oneof(
  { weight: 4, arbitrary: fc.constant(step('poll', (world) => quiet(world.poll()))) },
  fc.constant(step('poll, checkpoint lost', (world) => quiet(world.poll(world.replica(), true)))),
  fc.constant(
    step('two concurrent polls', (world) => {
      const source = world.replica(withoutLease(world));
      return Promise.all([quiet(world.poll(source)), quiet(world.poll(source, true))]);
    }),
  ),
  fc.constant(
    step('stop before sending', async (world) => {
      world.chain.reachable = false;
      await quiet(world.poll(world.replica(), true));
      world.chain.reachable = true;
    }),
  ),
  fc.constant(step('replace', (world) => quiet(world.poll(world.replica({ replaceAfterMs: -1 }))))),
  fc.constant(
    step('replace, unsent', async (world) => {
      world.chain.reachable = false;
      await quiet(world.poll(world.replica({ replaceAfterMs: -1 })));
      world.chain.reachable = true;
    }),
  ),
  fc.nat(2).map((pick) => step(`mine ${pick}`, ({ chain }) => chain.mine({ pick }))),
  fc.constant(step('mine, reverting', ({ chain }) => chain.mine({ failing: true }))),
  fc.constant(step('mine three', mineFinal)),
  fc.constant(step('reorganize', ({ chain }) => chain.reorganize())),
  fc.constant(step('nodes forget', ({ chain }) => chain.forget())),
  fc
    .boolean()
    .map((isFair) => step(`price ${String(isFair)}`, ({ market }) => (market.price = isFair ? FAIR_AMOUNT_OUT : 1n))),
  fc.constant(step('exceed the timeout', (world) => world.exceedSwapTimeout())),
  fc
    .boolean()
    .map((isRich) => step(`coin ${String(isRich)}`, ({ chain }) => (chain.balance = isRich ? 10n ** 20n : 0n))),
);

it('sends a settlement on once in every order of events, and reports the outcome', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 40 }), async (script) => {
      const world = await paidWorld();
      for (const { run } of script) {
        await run(world);
        expect(world.chain.effects.length).toBeLessThanOrEqual(1);
      }
      Object.assign(world.market, { price: FAIR_AMOUNT_OUT });
      world.chain.balance = 10n ** 20n;
      for (let count = 0; count < 12; count += 1) {
        await world.poll();
        world.exceedSwapTimeout();
        mineFinal(world);
        expect(world.chain.effects.length).toBeLessThanOrEqual(1);
      }
      const { status } = await world.poll();
      expect([world.chain.effects, status]).toEqual(
        world.chain.effects[0] === 'leg' ? [['leg'], 'delivered'] : [['anchor'], 'refunded'],
      );
    }),
    { numRuns: 25 },
  );
});
