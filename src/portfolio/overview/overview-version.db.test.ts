import { createSampleAction, newCustomer } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { until } from '../../../test/resilience/until';
import type { CustomerId } from '../../auth/principal';
import { claimSnapshots, storeSnapshot } from '../../snapshots/snapshot-claims';
import { readOverviewVersion } from './overview-version';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const WALLET = '0x1111111111111111111111111111111111111111';
const LONG = { freshMs: 3_600_000, servedMs: 3_600_000 };

/** A customer with both sections of the wallet stored. */
async function stored(): Promise<CustomerId> {
  const customerId = newCustomer();
  await test.database.customerWallet.create({ data: { customerId, address: WALLET } });
  for (const section of ['tokens', 'earn']) await store(customerId, section);
  return customerId;
}

/** Claims the section as a process that has just read its state. */
async function claim(customerId: CustomerId, section: string) {
  const known = await test.database.walletSnapshot.findFirst({ where: { customerId, wallet: WALLET, section } });
  const keys = { customerId, section, format: 1, wallets: [WALLET] };
  return claimSnapshots(test, keys, () => known?.claim.toString() ?? '0');
}

/** Stores the next version of the section. */
async function store(customerId: CustomerId, section: string, body: string | null = '{}'): Promise<void> {
  const key = { customerId, section, format: 1 };
  const claims = await claim(customerId, section);
  const worth = undefined;
  await storeSnapshot(test, { ...key, wallet: WALLET }, { ...claims.get(WALLET)!, body, worth });
}

function versionFor(
  customerId: CustomerId,
  {
    names = ['tokens', 'earn', 'history'],
    address = WALLET,
    status,
    times = LONG,
  }: {
    readonly names?: readonly string[];
    readonly address?: unknown;
    readonly status?: string;
    readonly times?: { readonly freshMs: number; readonly servedMs: number };
  } = {},
) {
  const fields = names.map((name) => ({ name, arguments: name === 'history' ? { status } : {} }));
  return readOverviewVersion({ ...test, snapshotTimes: times }, { customerId, address, fields });
}

describe('the version of an overview', () => {
  it('is that of its stored sections', async () => {
    const customerId = await stored();
    const versionOf = async (section: string) => {
      const where = { customerId, section };
      const { version, computedAt } = await test.database.walletSnapshot.findFirstOrThrow({ where });
      return `${section} ${version} ${String(computedAt?.getTime())}`;
    };
    const [earn, tokens] = [await versionOf('earn'), await versionOf('tokens')];
    expect(await versionFor(customerId)).toEqual({ version: `${earn} ${tokens}`, isDue: false });
    expect(await versionFor(customerId, { names: ['tokens'] })).toEqual({ version: tokens, isDue: false });
    await store(customerId, 'tokens');
    const next = await versionOf('tokens');
    expect(next).not.toBe(tokens);
    expect(await versionFor(customerId)).toEqual({ version: `${earn} ${next}`, isDue: false });
  });

  it('is another one after a computation that has found nothing new: an overview may have shown the section as stale', async () => {
    const customerId = await stored();
    const stateOf = () => test.database.walletSnapshot.findFirstOrThrow({ where: { customerId, section: 'tokens' } });
    const [before, former] = [await versionFor(customerId), await stateOf()];
    await until('the clock goes on', () => Date.now() > former.computedAt!.getTime() + 1);
    await store(customerId, 'tokens', null);
    expect((await stateOf()).version).toBe(former.version);
    expect((await versionFor(customerId))?.version).not.toBe(before?.version);
  });

  it('does not exist after a change of an action, and for another customer or wallet', async () => {
    const customerId = await stored();
    expect(await versionFor(newCustomer())).toBeUndefined();
    expect(await versionFor(customerId, { address: WALLET.replace('1', '2') })).toBeUndefined();
    await createSampleAction(test.database, { customerId, originAddress: WALLET });
    expect(await versionFor(customerId)).toBeUndefined();
  });

  it('does not exist for sections that are old or not stored, and is due when none computes young ones again', async () => {
    const customerId = await stored();
    expect(await versionFor(customerId, { times: { freshMs: 0, servedMs: 0 } })).toBeUndefined();
    const times = { freshMs: 0, servedMs: 3_600_000 };
    expect(await versionFor(customerId, { times, names: ['tokens'] })).toMatchObject({ isDue: true });
    await claim(customerId, 'tokens');
    expect(await versionFor(customerId, { times, names: ['tokens'] })).toMatchObject({ isDue: false });
    await test.database.walletSnapshot.deleteMany({ where: { customerId, section: 'earn' } });
    expect(await versionFor(customerId)).toBeUndefined();
  });

  it('does not exist without a stored section, for a history with drafts, and for what is no address', async () => {
    const customerId = await stored();
    expect(await versionFor(customerId, { names: ['address', 'history'] })).toBeUndefined();
    expect(await versionFor(customerId, { status: 'INITIAL' })).toBeUndefined();
    expect(await versionFor(customerId, { status: 'PENDING' })).toBeDefined();
    for (const address of ['0x12', null, 5]) expect(await versionFor(customerId, { address })).toBeUndefined();
  });
});
