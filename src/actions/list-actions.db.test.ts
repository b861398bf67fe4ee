import { createSampleAction, newCustomer, sampleToken } from '../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { usd } from '../../test/setup/usd';
import type { CustomerId } from '../auth/principal';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import type { Database } from '../persistence/database';
import { getAction } from './get-action';
import { type ActionDeps, listActions, listActionsOfWallets } from './list-actions';
import { changeStatus } from './state/change-status';

const BOB = '0x0000000000000000000000000000000000000B0b';
const CAROL = '0x00000000000000000000000000000000000CA401';

let test: TestDatabase;
let deps: ActionDeps & { readonly blockedAddresses: ReadonlySet<string> };
beforeAll(async () => {
  test = await createTestDatabase();
  deps = { database: test.database, chains: createChainTable(KNOWN_CHAINS), blockedAddresses: new Set() };
});
afterAll(() => test.drop());

/** Counts the queries. */
function counting(database: Database): { readonly database: Database; queries(): number } {
  let queries = 0;
  const $queryRaw = (...args: unknown[]) => {
    queries += 1;
    return (database.$queryRaw as unknown as (...all: unknown[]) => unknown).apply(database, args);
  };
  return { database: { $queryRaw } as never, queries: () => queries };
}

describe('the actions of a wallet', () => {
  it('are those that it sent or receives, each once, the newest first', async () => {
    const customerId = newCustomer();
    const sent = await createSampleAction(test.database, { customerId, originAddress: BOB, receiverAddress: CAROL });
    const received = await createSampleAction(test.database, {
      customerId,
      originAddress: CAROL,
      receiverAddress: BOB,
    });
    const own = await createSampleAction(test.database, { customerId, originAddress: BOB, receiverAddress: BOB });
    await createSampleAction(test.database, { customerId, originAddress: CAROL, receiverAddress: CAROL });
    const { data, pagination } = await listActions(deps, { customerId, walletAddress: BOB });
    expect(data.map(({ id }) => id)).toEqual([own.id, received.id, sent.id]);
    expect(pagination).toEqual({ page: 1, limit: 20, total: 3, totalPages: 1, hasMore: false });
  });

  it('are never those of another customer', async () => {
    const { id, customerId } = await createSampleAction(test.database, { originAddress: BOB });
    const stranger = newCustomer();
    expect((await listActions(deps, { customerId: stranger, walletAddress: BOB })).data).toEqual([]);
    const absent = { code: 'ACTION_NOT_FOUND', status: 404 };
    await expect(getAction(deps, { customerId: stranger, actionId: id })).rejects.toMatchObject(absent);
    expect(await getAction(deps, { customerId, actionId: id })).toMatchObject({ id });
  });

  it('are returned in pages with the total count, in one round trip, beyond the end too', async () => {
    const customerId = newCustomer();
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) {
      ids.unshift((await createSampleAction(test.database, { customerId, originAddress: BOB })).id);
    }
    const counted = counting(test.database);
    const query = { customerId, walletAddress: BOB, limit: 2 };
    const pages = [];
    for (const page of [1, 2, 3, 4]) pages.push(await listActions({ ...deps, ...counted }, { ...query, page }));
    expect(counted.queries()).toBe(4);
    expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(ids);
    expect(pages.map(({ pagination }) => pagination.hasMore)).toEqual([true, true, false, false]);
    expect(pages.map(({ pagination }) => pagination.total)).toEqual([5, 5, 5, 5]);
    expect(pages.map(({ pagination }) => pagination.totalPages)).toEqual([3, 3, 3, 3]);
  });

  it('include drafts only with the status INITIAL, and a draft is shown by its id', async () => {
    const customerId = newCustomer();
    const make = (isDraft: boolean) => createSampleAction(test.database, { customerId, originAddress: BOB, isDraft });
    const [action, draft] = [await make(false), await make(true)];
    const idsOf = async (filter: { readonly status?: 'INITIAL' | 'FAILED' } = {}) => {
      const { data, pagination } = await listActions(deps, { customerId, walletAddress: BOB, ...filter });
      expect(pagination.total).toBe(data.length);
      return data.map(({ id }) => id);
    };
    expect(await idsOf()).toEqual([action.id]);
    expect(await idsOf({ status: 'INITIAL' })).toEqual([draft.id, action.id]);
    expect(await getAction(deps, { customerId, actionId: draft.id })).toMatchObject({ status: 'INITIAL' });
    await test.database.$transaction((tx) =>
      changeStatus(tx, draft.id, { transition: 'failedBeforeOrigin', substatus: 'EXPIRED' }),
    );
    expect(await idsOf({ status: 'FAILED' })).toEqual([]);
  });

  it('include a draft once it is executed or its transaction is seen', async () => {
    const customerId = newCustomer();
    const make = (quoteId?: string) =>
      createSampleAction(test.database, {
        customerId,
        originAddress: BOB,
        isDraft: quoteId === undefined,
        ...(quoteId === undefined ? {} : { quoteId }),
      });
    const [executed, seen, failed] = [await make(), await make(), await make()];
    await make(executed.quoteId);
    await test.database.$transaction((tx) => changeStatus(tx, seen.id, { transition: 'originSeen' }));
    await test.database.$transaction((tx) => changeStatus(tx, failed.id, { transition: 'originSeen' }));
    await test.database.$transaction((tx) => changeStatus(tx, failed.id, { transition: 'failed' }));
    const { data } = await listActions(deps, { customerId, walletAddress: BOB });
    expect(data.map(({ id }) => id)).toEqual([failed.id, seen.id, executed.id]);
  });

  it('can be filtered by status and type, and sorted', async () => {
    const customerId = newCustomer();
    const make = (type: 'SAMECHAIN_SWAP' | 'TRANSFER_OUT') =>
      createSampleAction(test.database, { customerId, originAddress: BOB, type });
    const [first, second, third] = [
      await make('SAMECHAIN_SWAP'),
      await make('TRANSFER_OUT'),
      await make('TRANSFER_OUT'),
    ];
    await test.database.$transaction((tx) => changeStatus(tx, second.id, { transition: 'failedBeforeOrigin' }));
    const list = async (filter: object) =>
      (await listActions(deps, { customerId, walletAddress: BOB, ...filter })).data.map(({ id }) => id);
    expect(await list({ status: 'FAILED' })).toEqual([second.id]);
    expect(await list({ type: 'TRANSFER_OUT' })).toEqual([third.id, second.id]);
    expect(await list({ type: 'TRANSFER_OUT', status: 'INITIAL' })).toEqual([third.id]);
    expect(await list({ sortOrder: 'asc' })).toEqual([first.id, second.id, third.id]);
    expect((await list({ sortBy: 'updatedAt' }))[0]).toBe(second.id);
    expect((await list({ sortBy: 'finishedAt' }))[0]).toBe(second.id);
    expect((await list({ sortBy: 'finishedAt', sortOrder: 'asc' }))[0]).toBe(second.id);
  });

  it('state the fees of their strategy in its underlying asset: 0 without any, and null without a strategy', async () => {
    const line = (type: string, tokenAmount?: string) => ({ type, amount: '0.1', currency: 'USD', tokenAmount });
    const make = (strategy: { id: string; slug: string } | undefined, breakdown: ReturnType<typeof line>[]) =>
      createSampleAction(test.database, { strategy, fees: { total: '0.1', currency: 'USD', breakdown } });
    const strategy = { id: 'Aave-USDC-base', slug: 'aave-usdc-base' };
    const feeOf = async (action: Promise<{ readonly id: string; readonly customerId: CustomerId }>) => {
      const { id: actionId, customerId } = await action;
      return (await getAction(deps, { customerId, actionId })).underlyingAssetFeeValue;
    };
    const gas = line('gas', '21000');
    expect(await feeOf(make(strategy, [gas, line('platform', '250')]))).toBe('250');
    const profit = [line('performance', '9007199254740993'), line('markup', '4')];
    expect(await feeOf(make(strategy, [gas, ...profit]))).toBe('9007199254740997');
    expect(await feeOf(make(strategy, [gas, line('platform')]))).toBe('0');
    expect(await feeOf(make(undefined, [gas, line('platform', '250')]))).toBeNull();
  });

  it('reject pages out of range with every problem at once', async () => {
    const query = { customerId: newCustomer(), walletAddress: BOB, page: 0, limit: 101 };
    await expect(listActions(deps, query)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path: 'page' }, { path: 'limit' }] },
    });
    await expect(listActions(deps, { ...query, page: 2 ** 31, limit: 100 })).rejects.toMatchObject({ status: 422 });
    expect((await listActions(deps, { ...query, page: 2 ** 31 - 1, limit: 100 })).data).toEqual([]);
  });

  it('are read for many wallets in one query, each with its own page and count', async () => {
    const customerId = newCustomer();
    const wallets = Array.from({ length: 30 }, (_, index) => `0x${String(index).padStart(40, '0')}`);
    for (const [index, originAddress] of wallets.entries()) {
      for (let made = 0; made < index % 3; made += 1) {
        await createSampleAction(test.database, { customerId, originAddress, receiverAddress: BOB });
      }
    }
    const counted = counting(test.database);
    const lists = await listActionsOfWallets(
      { ...deps, ...counted },
      { customerId, walletAddresses: wallets, filter: { limit: 1 } },
    );
    expect(counted.queries()).toBe(1);
    expect(lists.map(({ pagination }) => pagination.total)).toEqual(wallets.map((_, index) => index % 3));
    expect(lists.map(({ data }) => data.length)).toEqual(wallets.map((_, index) => Math.min(1, index % 3)));
    expect(
      lists.flatMap(({ data }, index) => data.map(({ originAddress }) => originAddress === wallets[index])),
    ).not.toContain(false);
  });

  it('have exact amounts of tokens and of fiat', async () => {
    const amountOut = 123_456_789_012_345_678_901n as never;
    const tokenIn = sampleToken('BRL', { chainId: 0, address: 'BRL', decimals: 2 });
    const tokenOut = sampleToken('BRLA', { chainId: 8453, decimals: 18, logoURI: 'https://logo.example/brla.png' });
    const { id, customerId } = await createSampleAction(test.database, {
      type: 'ON_RAMP_FIAT',
      chainIdIn: 0,
      chainIdOut: 8453,
      tokenIn,
      tokenOut,
      amountOut,
      amountInUsd: undefined,
      amountOutUsd: usd('21.5'),
    });
    const { amounts, fees, steps, transactions, refund } = await getAction(deps, { customerId, actionId: id });
    expect(amounts.assetIn).toMatchObject({ currency: 'BRL', token: null, amountRaw: '100000000', amountInUSD: null });
    expect(amounts.assetIn?.amountHumanized).toBe('1000000');
    expect(amounts.assetOut).toMatchObject({
      token: { symbol: 'BRLA', decimals: 18, logoURI: 'https://logo.example/brla.png' },
      chain: { id: 8453, nativeAssetSymbol: 'ETH' },
      amountRaw: '123456789012345678901',
      amountHumanized: '123.456789012345678901',
      amountInUSD: '21.5',
    });
    expect(fees).toEqual({
      total: '0.5',
      currency: 'USD',
      breakdown: [{ type: 'gas', amount: '0.5', currency: 'USD' }],
    });
    expect(steps).toMatchObject([{ stepIndex: 0, status: 'PENDING', legs: [{ kind: 'SWAP', operator: 'USER' }] }]);
    expect({ transactions, refund }).toEqual({ transactions: [], refund: null });
  });
});
