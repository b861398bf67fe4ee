import { createSampleAction, newCustomer } from '../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import type { CustomerId } from '../auth/principal';
import { createWalletFeed, watchWallet, type WalletFeed } from './wallet-feed';
import { registerWallet } from './wallets';

let test: TestDatabase;
let feed: WalletFeed;
beforeAll(async () => {
  test = await createTestDatabase();
  feed = createWalletFeed({ ...test, pollMs: 10 });
});
afterAll(() => test.drop());

const WALLET = '0x1111111111111111111111111111111111111111';

interface Opening {
  readonly customerId?: CustomerId;
  readonly address?: string;
  readonly mayWatch?: boolean;
  readonly signal?: AbortSignal;
  readonly using?: WalletFeed;
}

function open({ customerId = newCustomer(), address = WALLET, mayWatch = true, signal, using = feed }: Opening = {}) {
  const wallets = { database: test.database, blockedAddresses: new Set(['0xblocked']), maxRegisteredWallets: 1000 };
  return watchWallet(
    {
      database: test.database,
      feed: using,
      findLimit: () => Promise.resolve(1000),
      readWallet: (wallet) => registerWallet(wallets, wallet),
    },
    { customerId, address, mayWatch, signal: signal ?? new AbortController().signal },
  );
}

const pin = (customerId: CustomerId, token: string) =>
  test.database.pinnedToken.create({ data: { customerId, wallet: WALLET, chainId: 1n, token } });

describe('a watched wallet', () => {
  it('is yielded at once, and after each change of its actions and its pinned tokens', async () => {
    const customerId = newCustomer();
    const wallets = await open({ customerId });
    expect((await wallets.next()).value).toMatchObject({ address: WALLET });
    const changed = wallets.next();
    await createSampleAction(test.database, { customerId, originAddress: WALLET });
    expect((await changed).value).toMatchObject({ address: WALLET });
    const again = wallets.next();
    await pin(customerId, '0xa');
    expect((await again).value).toMatchObject({ address: WALLET });
    await wallets.return(undefined);
  });

  it('is yielded after a change that is committed after a later one', async () => {
    const customerId = newCustomer();
    const sides = { customerId, originAddress: WALLET };
    const slow = await createSampleAction(test.database, sides);
    const quick = await createSampleAction(test.database, sides);
    const change = `UPDATE "Action" SET status = 'PENDING', "updatedAt" = now() WHERE id = $1`;
    const transaction = await test.pool.connect();
    try {
      await transaction.query('BEGIN');
      await transaction.query('SELECT now()');
      await test.pool.query(change, [quick.id]);
      const before = await feed.stateOf({ customerId, address: WALLET });
      await transaction.query(change, [slow.id]);
      await transaction.query('COMMIT');
      expect(await feed.stateOf({ customerId, address: WALLET })).not.toBe(before);
    } finally {
      transaction.release();
    }
  });

  it('is yielded once for what changed before the first poll', async () => {
    const customerId = newCustomer();
    const wallets = await open({ customerId });
    await wallets.next();
    let events = 0;
    const ending = wallets.next().then(() => (events += 1));
    const polls = jest.spyOn(test.pool, 'query');
    const before = polls.mock.calls.length;
    while (polls.mock.calls.length < before + 5) await new Promise((resolve) => setTimeout(resolve, 5));
    polls.mockRestore();
    expect(events).toBe(0);
    await pin(customerId, '0xa');
    expect(await ending).toBe(1);
    await wallets.return(undefined);
  });

  it('of another customer is not yielded', async () => {
    const [customerId, stranger] = [newCustomer(), newCustomer()];
    const ending = new AbortController();
    const [own, foreign] = [await open({ customerId }), await open({ customerId: stranger, signal: ending.signal })];
    await Promise.all([own.next(), foreign.next()]);
    const [changed, unchanged] = [own.next(), foreign.next()];
    await pin(customerId, '0xa');
    await changed;
    ending.abort();
    expect(await unchanged).toEqual({ done: true, value: undefined });
    await own.return(undefined);
  });

  it('has its movements recorded from then on, unless the caller may only read', async () => {
    const [writer, viewer] = [newCustomer(), newCustomer()];
    await Promise.all([open({ customerId: writer }), open({ customerId: viewer, mayWatch: false })]);
    const requested = await test.database.watchRequest.findMany({ where: { customerId: { in: [writer, viewer] } } });
    expect(requested.map(({ customerId, address }) => [customerId, address])).toEqual([[writer, WALLET]]);
  });

  it('is refused for a blocked address', async () => {
    await expect(open({ address: '0xblocked' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('is refused above the limit of its customer and of the process, until another one is closed', () => {
    const capacity = { perCustomer: 1, total: 2 };
    const using = createWalletFeed({ ...test, pollMs: 10, capacity });
    const [one, other, third] = [newCustomer(), newCustomer(), newCustomer()];
    const watch = (customerId: CustomerId) => using.watch({ customerId, address: WALLET });
    const first = watch(one);
    expect(() => watch(one)).toThrow(expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED' }));
    const second = watch(other);
    expect(() => watch(third)).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }));
    first.close();
    first.close();
    watch(third).close();
    second.close();
  });
});
