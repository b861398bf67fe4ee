import fc from 'fast-check';
import { parseUnits } from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import { entryKey } from '../../src/strategies/collection/registry-contract';
import { chainNamed, snapshotOf, universeOfTests } from '../setup/universe-of-tests';
import { type CollectionStep, playCollections } from './collection-play';
import { type CollectionWorld, openCollectionWorld } from './collection-world';
import { type StrategyChain, strategyChain } from './local-strategies';

const KEY = entryKey('customer', 'Test-USDC-devnet');
const RUNS = 4;
const STEPS = 40;

let local: StrategyChain;
let world: CollectionWorld;
let wallets: readonly DevnetAccount[];
beforeAll(async () => {
  const universe = await universeOfTests();
  local = strategyChain(universe, chainNamed(universe, 'devnet'));
  world = await openCollectionWorld(universe, local);
  await world.setEntry(KEY, {}, 0n);
  const [holder, ...others] = universe.accounts.slice(3, 7);
  wallets = others;
  for (const account of [holder!, ...wallets]) await world.allow(account);
  // Without other shares a donation would belong to no wallet.
  await world.deposit(holder!, parseUnits('100', 6));
  for (const account of wallets) {
    await world.deposit(account, parseUnits('500', 6));
    await world.enrol(account, KEY, 2000);
  }
});

const stepArbitrary: fc.Arbitrary<CollectionStep> = fc.record({
  kind: fc.constantFrom<CollectionStep['kind']>(
    ...(['deposit', 'withdraw', 'transfer', 'enrol', 'enrol', 'enrol', 'leave', 'lose'] as const),
    ...(['setEntry', 'pause'] as const),
    ...(['earn', 'earn', 'earn', 'wait', 'wait', 'wait'] as const),
    ...(['collect', 'collect', 'collect', 'collect', 'collect', 'collect'] as const),
  ),
  who: fc.nat(2),
  other: fc.nat(2),
  part: fc.oneof(fc.bigInt(1n, 1_000_000n), fc.constant(1_000_000n)),
  bps: fc.integer({ min: 1, max: 9999 }),
  flag: fc.boolean(),
  // Mostly a later period than the last one.
  periodId: fc.oneof({ weight: 5, arbitrary: fc.bigInt(2n, 5n) }, { weight: 1, arbitrary: fc.bigInt(0n, 1n) }),
});

it('takes no more from any wallet than its consent of what it has earned, whatever the controller tries', async () => {
  let collections = 0;
  const play = fc.asyncProperty(fc.array(stepArbitrary, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
    const revert = await snapshotOf(local.chain);
    try {
      // The last of the wallets never records what it moves.
      const players = wallets.map((account, index) => ({ account, records: index < 2 }));
      collections += await playCollections({ world, local, key: KEY, players, enrolledBps: 2000 }, steps);
    } finally {
      await revert();
    }
  });
  await fc.assert(play, { numRuns: RUNS, endOnFailure: true });
  expect(collections).toBeGreaterThan(3 * RUNS);
});
