import { randomUUID } from 'node:crypto';
import { ALICE, createSampleAction } from '../../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../../test/setup/test-database';
import { expireActions } from '../../state/expire-actions';
import { lateReferences } from './late-references';
import { openReferences } from './open-references';
import { runSolanaTrackerOnce } from './run-solana-tracker-once';
import { createSearchSchedule } from './search-schedule';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

const CHAIN_ID = 31337;
const HOUR_MS = 3_600_000;

let test: TestDatabase;
/** The references that each pass has searched for. */
let searches: (readonly string[])[];
let deps: SolanaTrackerDeps;
beforeEach(async () => {
  test = await createTestDatabase();
  searches = [];
  const signaturesOfEach = (_: number, references: readonly string[]) => {
    searches.push(references);
    return Promise.resolve(references.map(() => ({ status: 'fulfilled', value: [] })));
  };
  deps = {
    database: test.database,
    solana: { signaturesOfEach } as never,
    chains: undefined as never,
    log: { info: () => undefined, warn: () => undefined },
    replicaId: randomUUID(),
    schedule: createSearchSchedule(),
  };
});
afterEach(() => test.drop());

/** An action that a transaction with the reference executes. */
async function order(reference: string, expiresAt = new Date(Date.now() + HOUR_MS)): Promise<string> {
  const calls = [{ form: 'REFERENCE' as const, sender: ALICE, target: reference, data: '0x' as const }];
  return (await createSampleAction(test.database, { calls, expiresAt })).id;
}

/** Failed actions with the references `late-0`, `late-1`…, a day old. */
async function failedOrders(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await order(`late-${index}`, new Date(0));
  await test.database.actionCall.updateMany({ data: { createdAt: new Date(Date.now() - 24 * HOUR_MS) } });
  await expireActions(test);
  expect(await test.database.action.count({ where: { status: 'FAILED' } })).toBe(count);
}

const pass = () => runSolanaTrackerOnce(deps, CHAIN_ID);
const isLate = (reference: string): boolean => reference.startsWith('late-');
const searchedLate = () => searches.map((references) => references.filter(isLate).length);

describe('the references of failed actions', () => {
  it('have few places in a pass, and those of live actions do not wait for them', async () => {
    await failedOrders(60);
    for (const reference of ['live-0', 'live-1']) await order(reference);
    for (let count = 0; count < 3; count += 1) await pass();
    expect(searchedLate()).toEqual([25, 25, 10]);
    expect(searches[0]!.slice(0, 2).sort()).toEqual(['live-0', 'live-1']);
    expect(new Set(searches.flat().filter(isLate)).size).toBe(60);
  });

  it('are not read with those of live actions', async () => {
    await failedOrders(1);
    await order('live');
    expect(await openReferences(deps, CHAIN_ID)).toMatchObject([{ reference: 'live', isLate: false }]);
    expect(await lateReferences(deps, CHAIN_ID)).toMatchObject([{ reference: 'late-0', isLate: true }]);
  });

  it('are searched for less and less often, at least every hour', async () => {
    await failedOrders(1);
    const cooldownOf = async (ageMs: number): Promise<number> => {
      const createdAt = new Date(Date.now() - ageMs);
      await test.database.actionCall.updateMany({ data: { createdAt, nextSearchAt: new Date(0) } });
      await pass();
      const { nextSearchAt } = await test.database.actionCall.findFirstOrThrow();
      return Math.round((nextSearchAt!.getTime() - Date.now()) / 60_000);
    };
    expect(await cooldownOf(2 * HOUR_MS)).toBe(6);
    expect(await cooldownOf(100 * HOUR_MS)).toBe(60);
    expect(searchedLate()).toEqual([1, 1]);
  });

  it('are searched for once more after the end of their watch, before that is closed', async () => {
    await failedOrders(1);
    await pass();
    const ended = new Date(Date.now() - 1000);
    await test.database.actionCall.updateMany({ data: { watchedUntil: ended } });
    await pass();
    await expireActions(test);
    const call = () => test.database.actionCall.findFirstOrThrow();
    expect(await call()).toMatchObject({ open: true, nextSearchAt: expect.any(Date) });
    await test.database.actionCall.updateMany({ data: { nextSearchAt: new Date(0) } });
    await pass();
    expect(await call()).toMatchObject({ open: true, nextSearchAt: null });
    await expireActions(test);
    expect(await call()).toMatchObject({ open: false });
  });

  it('that are in quarantine take no places', async () => {
    await failedOrders(30);
    const first = await lateReferences(deps, CHAIN_ID);
    await test.database.quarantine.createMany({
      data: first.map(({ key: item }) => ({
        chainId: CHAIN_ID,
        stage: 'search',
        item,
        error: 'unreadable',
        nextAt: new Date(Date.now() + HOUR_MS),
      })),
    });
    await pass();
    expect(searchedLate()).toEqual([5]);
  });
});
