import { zeroAddress } from 'viem';
import type { ErrorCode } from '../../src/errors/catalog';
import { expectFailure } from '../rest/expect-failure';
import { newWallet, type NewWallet } from '../rest/error-codes-wallet';
import { type ErrorWorld, openErrorWorld } from '../rest/error-codes-world';
import { customerNamed, sendRequest } from '../setup/running-service';
import { untilRead } from '../resilience/until';
import { STRATEGY_CASES } from './strategy-codes';

const AAVE = 'Aave-USDC-devnet';
const FRIEND = '0x00000000000000000000000000000000000A11cE';

let world: ErrorWorld;
let wallet: NewWallet;
beforeAll(async () => {
  world = await openErrorWorld();
  wallet = await newWallet(world.service, 'devnet');
});
afterAll(() => world.stop());

type Fields = Readonly<Record<string, string>>;
const queryOf = (fields: Fields): string => new URLSearchParams(fields).toString();
const operate = (fields: Fields, { id = AAVE, headers = {} }: { id?: string; headers?: Fields } = {}) =>
  world.healthy(`/strategies/${id}/bytecode?${queryOf({ wallet: wallet.address, ...fields })}`, { headers });
const LEND = { action: 'lend', amount: '100000000' };
/** An action that has succeeded. */
const succeeded = (id: string) =>
  untilRead('the action has succeeded', async () => {
    const { body } = await world.healthy(`/actions/${id}`);
    return body.status === 'SUCCESS' ? body : undefined;
  });
const statusOf = (fields: Fields, id = AAVE) => world.healthy(`/strategies/${id}/status?${queryOf(fields)}`);
const tokenOf = (symbol: string): string => world.service.chains.find(({ slug }) => slug === 'devnet')!.tokens[symbol]!;

describe('GET /strategies/{id}/bytecode', () => {
  it('returns the transactions of a deposit, which are sent unchanged and end in SUCCESS', async () => {
    const { status, body, headers } = await operate(LEND);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toMatchObject({
      strategyId: AAVE,
      feeCharged: '0',
      chainIdIn: 31337,
      chainIdOut: 31337,
      crossChain: { isCrossChain: false, chainIdIn: 31337, chainIdOut: 31337 },
      quote: null,
      expected: { value: '100000000', decimals: 6 },
    });
    expect(body.bytecode).toEqual(body.transactionData);
    for (const { chainId } of body.bytecode) expect(chainId).toBe('31337');
    await wallet.send(body.bytecode);
    const lent = await succeeded(body.id);
    expect(lent).toMatchObject({
      type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
      strategyId: AAVE,
      strategySlug: AAVE.toLowerCase(),
      underlyingAssetFeeValue: '0',
      amounts: { assetIn: { amountRaw: '100000000' }, assetOut: { amountRaw: '100000000' } },
      steps: [{ status: 'CONFIRMED', legs: [{ kind: 'APPROVAL' }, { kind: 'DEPOSIT' }] }],
    });
    expect((await statusOf({ wallet: wallet.address })).body).toMatchObject({ hasPending: false, actions: [] });
    const overviewOf = (name: string) => {
      const { apiKey } = customerNamed(world.service, name);
      const target = `/v2/wallets/${wallet.address}?include=earn&includeHistory=false`;
      return sendRequest(world.service.baseUrl + target, apiKey, {});
    };
    const position = { strategy: { id: AAVE }, spotPosition: { currentPosition: { decimals: 6 } } };
    const [own, other] = [await overviewOf('load'), await overviewOf('other')];
    const { id, type, steps, amounts } = lent;
    const action = { id, type, steps, amounts, status: 'SUCCESS', strategyId: AAVE };
    expect(own.body.earn).toMatchObject({
      positions: [{ ...position, investmentActions: [action] }],
      snapshot: { pendingActionCount: 0 },
    });
    expect(other.body.earn.positions).toMatchObject([{ ...position, investmentActions: [] }]);
  });

  it('returns the claim of the rewards that the position shows, which ends in SUCCESS', async () => {
    const { body: detail } = await world.healthy(`/v2/strategies/${AAVE}?wallet=${wallet.address}`);
    expect(detail.spotPosition.availableToClaim).toMatchObject([{ symbol: 'lAAVE', decimals: 18 }]);
    const { status, body } = await operate({ action: 'claim' });
    expect([status, body.feeCharged, body.expected.symbol, body.bytecode.length]).toEqual([200, '0', 'lAAVE', 1]);
    await wallet.send(body.bytecode);
    const { type, amounts, steps } = await succeeded(body.id);
    expect([type, amounts.assetIn, amounts.assetOut.token.symbol]).toEqual(['REWARD_CLAIM', null, 'lAAVE']);
    expect(BigInt(amounts.assetOut.amountRaw)).toBeGreaterThan(0n);
    expect(steps).toMatchObject([{ status: 'CONFIRMED', legs: [{ kind: 'CLAIM' }] }]);
  });

  it('keeps userOperation as null only where it was requested', async () => {
    const { body } = await operate(LEND);
    expect(Object.keys(body)).not.toContain('userOperation');
  });

  it.each([{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }])(
    'is not prefetched with %p, and has no HEAD',
    async (headers) => {
      expectFailure(await operate(LEND, { headers }), 'VALIDATION_ERROR');
      const url = `${world.service.baseUrl}/strategies/${AAVE}/bytecode?${queryOf({ ...LEND, wallet: wallet.address })}`;
      const { apiKey } = customerNamed(world.service, 'demo');
      const head = await fetch(url, { method: 'HEAD', headers: { 'x-api-key': apiKey } });
      expect(head.status).toBe(405);
    },
  );

  it('reports every malformed parameter at once', async () => {
    const response = await operate({ action: 'borrow', amount: '-1', wallet: 'me', output: 'custody' });
    expectFailure(response, 'VALIDATION_ERROR');
    const paths = response.body.error.details.errors.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['action', 'amount', 'wallet', 'accountId']));
  });

  it.each([
    ['STRATEGY_NOT_FOUND', LEND, 'Nowhere-USDC-devnet'],
    ['PRICE_IN_USD_NOT_SUPPORTED', { ...LEND, priceInUsd: '15000' }, AAVE],
    ['PRICE_IN_USD_NOT_SUPPORTED', { ...LEND, priceInUsd: '0' }, AAVE],
    ['EXPIRE_AT_NOT_SUPPORTED', { ...LEND, expireAt: '1900000000' }, AAVE],
    ['EXPIRE_AT_NOT_SUPPORTED', { action: 'lend', actionId: crypto.randomUUID(), expireAt: '-1' }, AAVE],
    ['LENDING_BAD_REQUEST', { ...LEND, amount: (10n ** 30n).toString() }, AAVE],
    ['FROM_TOKEN_NOT_SUPPORTED', { ...LEND, fromTokenAddress: FRIEND, fromChainId: 'devnet' }, AAVE],
    ['INVALID_SLIPPAGE', { ...LEND, slippage: '0.9' }, AAVE],
    ['VALIDATION_ERROR', { ...LEND, action: 'request-lend' }, AAVE],
    ['VALIDATION_ERROR', { ...LEND, amountInShares: '5' }, AAVE],
    ['VALIDATION_ERROR', { action: 'withdraw' }, AAVE],
    ['LENDING_BAD_REQUEST', { action: 'claim' }, 'Compound-USDC-devnet'],
    ['VALIDATION_ERROR', { action: 'claim' }, 'Steady-USDC-devnet'],
  ] as const)('is refused with %s', async (code, fields, id) => {
    expectFailure(await operate(fields, { id }), code);
  });

  it.each(['amount', 'amountInShares'])('reports the largest amount, and its token, for %s', async (name) => {
    const { body } = await operate(
      { action: 'withdraw', [name]: (10n ** 30n).toString() },
      { id: 'Steady-USDC-devnet' },
    );
    const largest = { maximum: '0', currency: 'USDC', decimals: 6 };
    expect(body.error.details).toMatchObject({ kind: 'BALANCE', ...largest, reason: expect.any(String) });
  });

  it('is refused with LENDING_SERVICE_UNAVAILABLE when the chain does not respond', async () => {
    const query = queryOf({ ...LEND, wallet: wallet.address });
    expectFailure(
      await world.degraded(`/strategies/Aave-USDC-devnet-l2/bytecode?${query}`),
      'LENDING_SERVICE_UNAVAILABLE',
    );
  });

  it('builds a swap and a deposit from another token', async () => {
    const sold = { fromTokenAddress: tokenOf('WETH'), fromChainId: 'devnet' };
    const response = await operate({ ...LEND, amount: (10n ** 17n).toString(), ...sold });
    // The wallet holds no WETH.
    expectFailure(response, 'LENDING_BAD_REQUEST');
    const ether = { fromTokenAddress: zeroAddress, fromChainId: '31337' };
    const { status, body } = await operate({ ...LEND, amount: (10n ** 17n).toString(), ...ether });
    expect(status).toBe(200);
    const inputAmount = { value: (10n ** 17n).toString(), asset: zeroAddress };
    expect(body.quote).toMatchObject({ inputAmount, fromChainId: '31337', fromTokenAddress: zeroAddress });
  });

  it('is not for access tokens', async () => {
    const { bearer } = customerNamed(world.service, 'demo');
    const url = `${world.service.baseUrl}/strategies/${AAVE}/bytecode?${queryOf({ ...LEND, wallet: wallet.address })}`;
    for (const token of [bearer.viewer, bearer.admin]) {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: 'INVALID_API_KEY' } });
    }
  });
});

describe('GET /strategies/{id}/status', () => {
  it('requires the wallet, and a strategy that exists', async () => {
    expectFailure(await statusOf({}), 'VALIDATION_ERROR');
    expectFailure(await statusOf({ wallet: 'me' }), 'VALIDATION_ERROR');
    expectFailure(await statusOf({ wallet: FRIEND }, 'Nowhere-USDC-devnet'), 'STRATEGY_NOT_FOUND');
  });

  it('shows a customer only actions of its own', async () => {
    const { body } = await operate(LEND);
    const other = customerNamed(world.service, 'other').apiKey;
    const response = await sendRequest(`${world.service.baseUrl}/actions/${body.id}`, other, {});
    expectFailure(response, 'ACTION_NOT_FOUND');
    const status = await sendRequest(
      `${world.service.baseUrl}/strategies/${AAVE}/status?wallet=${wallet.address}`,
      other,
      {},
    );
    expect(status.body).toMatchObject({ strategyId: AAVE, wallet: wallet.address, hasPending: false });
  });
});

it.each(Object.entries(STRATEGY_CASES))('a request fails with %s', async (code, produce) => {
  expectFailure(await produce({ ...world, wallet }), code as ErrorCode);
});

it('fees that a customer sets are shown to and charged from its own users alone', async () => {
  const { baseUrl, graphqlUrl } = world.service;
  const [other, demo] = [customerNamed(world.service, 'other'), customerNamed(world.service, 'demo')];
  const set = (entryFeeBps: number) =>
    sendRequest(graphqlUrl, other.apiKey, {
      headers: { 'x-api-key': undefined, authorization: `Bearer ${other.bearer.owner}` },
      body: {
        query: `mutation { setStrategyFees(strategyId: "Steady-USDC-devnet-l2", entryFeeBps: ${String(entryFeeBps)},
          feeCollector: "${FRIEND}") { entryFeeBps feeCollector activation { state } } }`,
      },
    });
  const strategy = async ({ apiKey }: { apiKey: string }, id: string) =>
    (await sendRequest(`${baseUrl}/v2/strategies/${id}`, apiKey, {})).body.strategy;
  const id = 'Steady-USDC-devnet-l2';
  const former = await strategy(other, id);
  const changed = await set(25);
  expect(changed.body.errors).toBeUndefined();
  expect(changed.body.data.setStrategyFees).toEqual({ entryFeeBps: 25, feeCollector: FRIEND, activation: null });
  expect([(await strategy(other, id)).fee, (await strategy(demo, id)).fee]).toEqual(['25', former.fee]);
  await set(0);
  expect((await strategy(other, id)).fee).toBe('0');
});

it('GraphQL creates the same transactions by a mutation', async () => {
  const query = `mutation ($wallet: String!) {
    createStrategyTransaction(id: "${AAVE}", action: "lend", amount: "5000000", wallet: $wallet) {
      id type feeCharged feeWaiver transactionData { to data value chainId from } expected { value symbol }
    }
  }`;
  const { body } = await world.healthy('/graphql', { body: { query, variables: { wallet: wallet.address } } });
  expect(body.errors).toBeUndefined();
  expect(body.data.createStrategyTransaction).toMatchObject({
    type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
    feeWaiver: null,
    expected: { value: '5000000' },
  });
});

describe('GET /actions/{id}/cancel', () => {
  it('refuses actions that are no orders, and shows no actions of other wallets or customers', async () => {
    const { body } = await operate(LEND);
    const cancel = (owner: string, id: string = body.id) => world.healthy(`/actions/${id}/cancel?wallet=${owner}`);
    expectFailure(await cancel(wallet.address), 'INVALID_ACTION_TYPE');
    expectFailure(await cancel(FRIEND), 'ACTION_NOT_FOUND');
    expectFailure(await world.healthy(`/actions/${body.id}/cancel`), 'VALIDATION_ERROR');
    const target = `${world.service.baseUrl}/actions/${body.id}/cancel?wallet=${wallet.address}`;
    expectFailure(await sendRequest(target, customerNamed(world.service, 'other').apiKey, {}), 'ACTION_NOT_FOUND');
  });
});
