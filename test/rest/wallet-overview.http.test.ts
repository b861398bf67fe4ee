import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { parseUsd } from '../../src/money/usd';
import { customerNamed, rest, runningService, sendRequest } from '../setup/running-service';
import type { RoleProcess } from '../setup/role-process';
import { deploymentOf, startGateway, WITHOUT_RAMPS } from './error-codes-world';
import { until } from '../resilience/until';
import { expectFailure } from './expect-failure';

const service = runningService();
const other = customerNamed(service, 'other').apiKey;
const load = customerNamed(service, 'load');
const holder = service.accounts[6]!.address;
const BLOCKED = '0x000000000000000000000000000000000000dEaD';
const newAddress = (): string => privateKeyToAddress(generatePrivateKey());
const otherCase = (digit: string): string => (/[a-f]/.test(digit) ? digit.toUpperCase() : digit.toLowerCase());
const overview = (address: string, query = ''): string => `/v2/wallets/${address}${query}`;
const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
const l2 = service.chains.find(({ slug }) => slug === 'devnet-l2')!;

const POSITION = [
  ...['address', 'amount', 'amountInUSD', 'asOf', 'chainId', 'decimals', 'humanized', 'id', 'name', 'price', 'stale'],
  'symbol',
];

/** Creates transfers that are not sent. Their status is INITIAL, and they are no drafts. */
async function createTransfers(wallet: string, count: number, apiKey = load.apiKey): Promise<void> {
  for (let amount = 1; amount <= count; amount++) {
    const body = {
      chainId: devnet.chainId,
      token: devnet.tokens['USDC'],
      amount: String(amount),
      originAddress: wallet,
      destinationAddress: wallet === holder ? service.accounts[7]!.address : holder,
    };
    expect((await rest('/transfer/bytecode', { body, apiKey })).status).toBe(200);
  }
}

/** The errors besides those of listed tokens without a price, which are exactly the positions without a value. */
function otherErrors({ positions, errors }: any): readonly any[] {
  const unpriced = errors.filter(({ code }: any) => code === 'PRICE_MISSING');
  const placeOf = ({ chainId, address }: any): string => `${chainId} ${address}`;
  const withoutValue = positions.filter(({ amountInUSD }: any) => amountInUSD === undefined);
  expect(unpriced.map(placeOf).sort()).toEqual(withoutValue.map(placeOf).sort());
  return errors.filter(({ code }: any) => code !== 'PRICE_MISSING');
}

describe('GET /v2/wallets/{address}', () => {
  it('returns what a wallet holds on all chains with its value, and its history', async () => {
    const { status, body, headers } = await rest(overview(holder));
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(Object.keys(body).sort()).toEqual(['earn', 'history', 'tokens']);
    const { positions, summary, staleness } = body.tokens;
    expect(otherErrors(body.tokens)).toEqual([]);
    const usdc = positions.find((each: any) => each.chainId === devnet.chainId && each.symbol === 'USDC');
    expect(
      Object.keys(usdc)
        .filter((name) => name !== 'logoURI')
        .sort(),
    ).toEqual(POSITION);
    expect(usdc).toMatchObject({
      id: `${devnet.chainId}:${devnet.tokens['USDC']}`,
      address: devnet.tokens['USDC'],
      stale: false,
      price: expect.any(Number),
      amountInUSD: expect.stringMatching(/^\d+(\.\d{1,6})?$/),
    });
    expect(new Set(positions.map(({ chainId }: any) => chainId)).size).toBe(2);
    const values = positions.map(({ amountInUSD }: any) => (amountInUSD === undefined ? 0n : parseUsd(amountInUSD)!));
    expect(values.reduce((sum: bigint, value: bigint) => sum + value, 0n)).toBe(parseUsd(summary.totalAmountInUSD));
    expect(Object.keys(summary)).toEqual(['totalAmountInUSD']);
    expect(staleness).toEqual({ stalePositions: 0, oldestAsOf: expect.stringMatching(/Z$/) });
    expect(body.history.pagination).toMatchObject({ page: 1, limit: 50 });
  });

  it('returns the requested sections alone', async () => {
    const tokens = await rest(overview(holder, '?include=tokens&includeHistory=false'));
    expect(Object.keys(tokens.body)).toEqual(['tokens']);
    const all = await rest(overview(holder, '?include=all&includeHistory=&page=&unknown=1'));
    expect(Object.keys(all.body).sort()).toEqual(['earn', 'history', 'tokens']);
    expect(all.headers.get('x-ignored-parameters')).toBe('unknown');
  });

  it('filters, sorts and pages the history', async () => {
    const wallet = service.accounts[8]!.address;
    await createTransfers(wallet, 3);
    const history = async (query: string) => (await rest(overview(wallet, `?include=tokens&${query}`))).body.history;
    const { data, pagination } = await history('limit=2&status=INITIAL&sortBy=createdAt&sortOrder=asc');
    expect(data).toHaveLength(2);
    expect(pagination.total).toBeGreaterThanOrEqual(3);
    expect(pagination).toMatchObject({ page: 1, limit: 2, hasMore: true });
    expect(data[0].createdAt <= data[1].createdAt).toBe(true);
    expect(data.every(({ status }: any) => status === 'INITIAL')).toBe(true);
    const newest = (await history('limit=1')).data[0];
    expect(newest).toMatchObject({ type: 'TRANSFER_OUT', originAddress: wallet });
    const next = (await history('limit=1&page=2')).data[0];
    expect(next.id).not.toBe(newest.id);
    for (const query of ['sortBy=updatedAt', 'sortBy=finishedAt&sortOrder=asc', 'limit=500']) {
      expect((await history(query)).data.length).toBeGreaterThanOrEqual(3);
    }
    for (const status of ['PENDING', 'FAILED', 'REFUNDED', 'SUCCESS']) {
      expect((await history(`status=${status}`)).data.every((action: any) => action.status === status)).toBe(true);
    }
  });

  it('is empty for an address with nothing, for a contract without tokens, and has the tokens of a Solana key', async () => {
    const empty = {
      tokens: { positions: [], summary: { totalAmountInUSD: '0' }, staleness: { stalePositions: 0 }, errors: [] },
      history: {
        data: [],
        pagination: { page: 1, limit: 50, total: 0, totalPages: 0, hasMore: false },
      },
      earn: {
        positions: [],
        summary: { totalProfitInUSD: 0, totalUnderlyingBalanceUSD: 0 },
        snapshot: { state: 'fresh', computedAt: expect.any(String), deltaApplied: false, pendingActionCount: 0 },
        staleness: { stalePositions: 0 },
        errors: [],
      },
    };
    expect((await rest(overview(newAddress()))).body).toEqual(empty);
    const contract = await rest(overview(devnet.tokens['BRLA']!));
    expect([contract.status, contract.body.history]).toEqual([200, empty.history]);
    const { body } = await rest(overview(service.solanaAccounts[0]!.address));
    const symbols = body.tokens.positions.map(({ symbol }: any) => symbol);
    expect(symbols).toEqual(expect.arrayContaining(['SOL', 'USDC']));
  });

  it('accepts an address in any case without a checksum, and returns the same', async () => {
    const [lower, upper] = [holder.toLowerCase(), `0x${holder.slice(2).toUpperCase()}`];
    for (const address of [lower, upper]) {
      const { status, body } = await rest(overview(address, '?includeHistory=false'));
      expect([status, body.tokens.positions.length > 0]).toEqual([200, true]);
    }
  });

  it('registers a new address for the customer, also that of another one, and shows each its own actions', async () => {
    const wallet = service.accounts[9]!.address;
    await createTransfers(wallet, 1);
    const own = await rest(overview(wallet, '?limit=1'));
    expect(own.body.history.pagination.total).toBeGreaterThanOrEqual(1);
    const foreign = await rest(overview(wallet), { apiKey: other });
    expect([foreign.status, foreign.body.history.pagination.total]).toEqual([200, 0]);
    expect(foreign.body.tokens.positions.length).toBeGreaterThan(0);
  });

  it.each([
    ['page=0', 'page'],
    ['page=x', 'page'],
    ['page=1.5', 'page'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=-1', 'limit'],
    ['status=DONE', 'status'],
    ['status=success', 'status'],
    ['sortBy=id', 'sortBy'],
    ['sortOrder=up', 'sortOrder'],
    ['include=everything', 'include'],
    ['includeHistory=maybe', 'includeHistory'],
    ['page=1&page=2', 'page'],
  ])('refuses %s with 422, naming the parameter', async (query, path) => {
    const response = await rest(overview(holder, `?${query}`));
    expectFailure(response, 'VALIDATION_ERROR');
    expect(response.body.error.details.errors).toEqual([{ path, message: expect.any(String) }]);
  });

  it('reports all problems at once', async () => {
    const { status, body } = await rest(overview('0x12', '?page=0&limit=501&status=DONE&include=some'));
    expect(status).toBe(422);
    const paths = body.error.details.errors.map(({ path }: any) => path).sort();
    expect(paths).toEqual(['address', 'include', 'limit', 'page', 'status']);
  });

  it.each([
    ['a wrong checksum', `0x${holder.slice(2).replace(/[a-f]/i, otherCase)}`],
    ['too few digits', '0x1234'],
    ['a name', 'vitalik.eth'],
    ['a Solana key with a digit too many', `${service.solanaAccounts[0]!.address}11`],
  ])('refuses an address with %s', async (_name, address) => {
    const response = await rest(overview(address));
    expectFailure(response, 'VALIDATION_ERROR');
    expect(response.body.error.details.errors[0].path).toBe('address');
  });

  it('requires a credential, and accepts an access token of any role', async () => {
    const url = `${service.baseUrl}${overview(holder, '?includeHistory=false')}`;
    expectFailure(await sendRequest(url, '', { headers: { 'x-api-key': undefined } }), 'AUTHENTICATION_REQUIRED');
    expectFailure(await sendRequest(url, 'wrong', {}), 'INVALID_API_KEY');
    const forged = { 'x-api-key': undefined, authorization: 'Bearer a.b.c' };
    expectFailure(await sendRequest(url, '', { headers: forged }), 'INVALID_AUTH_TOKEN');
    const { bearer } = customerNamed(service, 'demo');
    for (const token of Object.values(bearer)) {
      const headers = { 'x-api-key': undefined, authorization: `Bearer ${token}` };
      expect((await sendRequest(url, '', { headers })).status).toBe(200);
    }
  });

  it('refuses HEAD and prefetching, because it may register the address', async () => {
    const head = await fetch(service.baseUrl + overview(newAddress()), {
      method: 'HEAD',
      headers: { 'x-api-key': load.apiKey },
    });
    expect(head.status).toBe(405);
    const prefetch = await rest(overview(newAddress()), { headers: { 'sec-purpose': 'prefetch' } });
    expectFailure(prefetch, 'VALIDATION_ERROR');
  });
});

describe('GET /v2/wallets/{address} of a deployment with a chain that is down, a blocked address and a limit', () => {
  let gateway: RoleProcess;
  beforeAll(async () => {
    gateway = await startGateway({
      ...deploymentOf(),
      ...WITHOUT_RAMPS,
      RPC_URL_DEVNET_L2: 'http://127.0.0.1:9',
      BLOCKED_ADDRESSES: BLOCKED,
      MAX_REGISTERED_WALLETS: '1',
    });
  });
  afterAll(() => gateway.stop());

  const send = (target: string, apiKey = load.apiKey) => sendRequest(gateway.url + target, apiKey, {});

  it('names the chain in the errors, and has the other chains and the history as ever', async () => {
    const wallet = service.accounts[0]!.address; // no replica has read its tokens for this customer
    await rest(overview(wallet, '?include=earn&includeHistory=false'), { apiKey: other });
    const { status, body } = await send(overview(wallet), other);
    expect(status).toBe(200);
    expect(otherErrors(body.tokens)).toEqual([
      { code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining('devnet-l2'), chainId: l2.chainId },
    ]);
    expect(new Set(body.tokens.positions.map(({ chainId }: any) => chainId))).toEqual(new Set([devnet.chainId]));
    expect(body.tokens.staleness.stalePositions).toBe(0);
    expect(body.history.pagination.page).toBe(1);
  });

  it('has the last known positions of the chain that another replica has read, marked as stale with their time', async () => {
    const read = (await rest(overview(holder), { apiKey: load.apiKey })).body.tokens;
    const known = read.positions.filter(({ chainId }: any) => chainId === l2.chainId);
    expect(known.length).toBeGreaterThan(0);
    let tokens: any;
    await until('the snapshot of the replica is old', async () => {
      tokens = (await send(overview(holder))).body.tokens;
      return tokens.staleness.stalePositions > 0;
    });
    const stale = tokens.positions.filter(({ chainId }: any) => chainId === l2.chainId);
    expect(new Set(stale.map(({ id, amount }: any) => `${id} ${amount}`))).toEqual(
      new Set(known.map(({ id, amount }: any) => `${id} ${amount}`)),
    );
    expect(stale.every((each: any) => each.stale === true)).toBe(true);
    expect(otherErrors(tokens)).toMatchObject([{ code: 'PROVIDER_UNAVAILABLE', chainId: l2.chainId }]);
    await until('the replica that reads the chain has replaced them', async () => {
      const { staleness } = (await rest(overview(holder), { apiKey: load.apiKey })).body.tokens;
      return staleness.stalePositions === 0;
    });
  });

  it('refuses a blocked address', async () => {
    expectFailure(await send(overview(BLOCKED)), 'FORBIDDEN');
    expectFailure(await send(overview(BLOCKED.toLowerCase(), '?includeHistory=false')), 'FORBIDDEN');
  });

  it('refuses a new address above the limit of the customer, and still serves those that are registered', async () => {
    await rest(overview(holder));
    await rest(overview(newAddress()));
    const refused = await send(overview(newAddress()));
    expectFailure(refused, 'RATE_LIMIT_EXCEEDED');
    expect(refused.body.error.details).toMatchObject({ limit: 'registeredWallets', maximum: 1 });
    expect((await send(overview(holder))).status).toBe(200);
  });
});
