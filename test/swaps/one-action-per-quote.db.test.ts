import { createActionStarter } from '../../src/actions/start-action';
import type { CustomerId } from '../../src/auth/principal';
import { findQuote } from '../../src/quotes/find-quote';
import { quoteDeadline } from '../../src/quotes/quote-deadline';
import type { RawFields } from '../../src/errors/field-reader';
import { priceRowWriter, priceWriter } from '../../src/quotes/quote-store';
import { swapQuotes } from '../../src/quotes/swap-quotes';
import { createSwapTransaction } from '../../src/transactions/create-swap-transaction';
import { requestSwapQuote } from '../../src/transactions/request-swap-quote';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import type { CallItem } from '../../src/transactions/execution/transaction-item';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { usd } from '../setup/usd';
import { fakeChain } from './fake-chain';
import { testVault } from './fake-fiat';
import { fakeOutputs } from './fake-outputs';
import { ALICE, BOB, BOTH, chains, fakeProvider, offerFor, offering, PRICED, quoteDeps, rejection } from './swap-world';
import { OPEN_LIMITS } from '../setup/open-limits';

const WEBHOOK = 'https://hooks.example/a';
const OTHER_WEBHOOK = 'https://hooks.example/b';
const customerId = uuidV7() as CustomerId;
const otherId = uuidV7() as CustomerId;
const rawQuote = { memo: 'm', fees: [1, 2] };
const chain = fakeChain();
let world: TestDatabase;

const depsWith = (changes: Parameters<typeof quoteDeps>[0] = {}) => {
  const base = quoteDeps({ quoteDeadline: quoteDeadline(world.pool), ...changes });
  return {
    ...fakeOutputs(),
    ...base,
    database: world.database,
    ...createActionStarter({ database: world.database, limits: OPEN_LIMITS }),
    actionExpirySeconds: 86_400,
    savePrices: priceWriter(priceRowWriter(world.pool), testVault),
    rpc: { ...base.rpc, ...chain.rpc },
  };
};
const { signal } = new AbortController();
const quote = (fields: RawFields = {}, changes: Parameters<typeof quoteDeps>[0] = {}) =>
  requestSwapQuote(depsWith(changes), { customerId, fields: { ...PRICED, ...fields }, signal });
const execute = (fields: RawFields, options: { customer?: CustomerId; raw?: unknown } = {}) =>
  createSwapTransaction(depsWith(), {
    customerId: options.customer ?? customerId,
    fields: { ...BOTH, ...fields },
    rawQuote: options.raw,
    signal,
  });
/** Whole seconds of the database's clock. */
const readSeconds = async (): Promise<number> => {
  const [row] = await world.database.$queryRaw<{ now: Date }[]>`SELECT now()`;
  return Math.floor(row!.now.getTime() / 1000);
};
const row = (id: string) => world.database.quote.findUniqueOrThrow({ where: { id }, include: { action: true } });

beforeAll(async () => {
  world = await createTestDatabase();
  const names = { [customerId]: 'one', [otherId]: 'other' };
  await world.database.customer.createMany({ data: Object.entries(names).map(([id, name]) => ({ id, name })) });
});
afterAll(() => world.drop());
beforeEach(() => chain.reset());

describe('a stored quote', () => {
  it('expires exactly after its lifetime by the clock of the database', async () => {
    const before = await readSeconds();
    const { quote: view } = await quote();
    const after = await readSeconds();
    const stored = await row(view.quoteId);
    expect(stored.deadline.getTime()).toBe(view.deadline * 1000);
    expect(view.deadline).toBeGreaterThanOrEqual(before + 300);
    expect(view.deadline).toBeLessThanOrEqual(after + 300);
  });

  it('is read back unchanged', async () => {
    const { quote: view } = await quote({ amountIn: '', amountOut: '5000000', slippage: '0.1', ...BOTH });
    const found = await findQuote({ database: world.database, chains }, { quoteId: view.quoteId, customerId });
    const { request, offer } = found;
    expect(found).toMatchObject({ expired: false, thirdParty: false, amountInUsd: usd(view.tokenIn.amountInUSD!) });
    expect(request).toMatchObject({ side: 'out', amount: 5_000_000n, slippage: 100_000n, originAddress: ALICE });
    expect(offer).toEqual(offerFor(request, { provider: 'alpha' }));
  });

  it('gives another customer the same 404 as an unknown quote', async () => {
    const { quoteId } = (await quote()).quote;
    const foreign = await rejection(execute({ quoteId }, { customer: otherId }));
    const absentId = uuidV7();
    const absent = await rejection(execute({ quoteId: absentId }, { customer: otherId }));
    const texts = [foreign, absent].map((error) => JSON.stringify({ ...(error as object), text: String(error) }));
    expect(foreign).toMatchObject({ code: 'QUOTE_NOT_FOUND', status: 404 });
    expect(texts[0]?.replaceAll(quoteId, '')).toBe(texts[1]?.replaceAll(absentId, ''));
  });

  it('is stored for every compared provider, so that each can be executed', async () => {
    const failing = fakeProvider('gamma', () => Promise.resolve(undefined));
    const deps = depsWith({ providers: [offering('alpha', 4_990_000n), offering('beta', 4_000_000n), failing] });
    const outcomes = await swapQuotes(deps, { customerId, fields: PRICED });
    expect(outcomes).toMatchObject([
      { provider: 'alpha', quote: { expectedAmountOut: '4990000' }, reason: undefined },
      { provider: 'beta', quote: { expectedAmountOut: '4000000' } },
      { provider: 'gamma', quote: undefined, reason: { code: 'NO_ROUTE_FOUND' } },
    ]);
    const { quoteId } = outcomes[1]!.quote!;
    const executed = await createSwapTransaction(
      { ...depsWith(), providers: deps.providers },
      {
        customerId,
        fields: { ...BOTH, quoteId },
        rawQuote: undefined,
        signal,
      },
    );
    expect((await row(quoteId)).action).toMatchObject({ id: executed.id, provider: 'beta' });
  });
});

describe('a quote', () => {
  it('creates one action under fifty concurrent callers', async () => {
    const { quoteId } = (await quote()).quote;
    const responses = await Promise.all(Array.from({ length: 50 }, () => execute({ quoteId })));
    const texts = new Set(responses.map((response) => JSON.stringify(response)));
    expect(texts.size).toBe(1);
    const [response] = responses;
    expect(await world.database.action.count({ where: { quoteId } })).toBe(1);
    const calls = await world.database.actionCall.findMany({ where: { actionId: response!.id } });
    expect(calls.map(({ kind, target }) => [kind, target]).sort()).toEqual([
      ['APPROVAL', PRICED.tokenIn.toLowerCase()],
      ['SWAP', (response!.transactionData.at(-1)! as CallItem).to.toLowerCase()],
    ]);
  });

  it('creates one action for the first of two different requests, and refuses the other', async () => {
    const { quoteId } = (await quote()).quote;
    const callers = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ALICE : BOB));
    const results = await Promise.allSettled(
      callers.map((destinationAddress) => execute({ quoteId, destinationAddress })),
    );
    const won = results.filter((result) => result.status === 'fulfilled');
    const lost = results.filter((result) => result.status === 'rejected');
    expect(won).toHaveLength(10);
    expect(new Set(won.map(({ value }) => value.id)).size).toBe(1);
    for (const { reason } of lost) expect(reason).toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' });
    const { action } = await row(quoteId);
    const winner = callers[results.indexOf(won[0]!)];
    expect(action?.receiverAddress).toBe(winner);
  });

  it('returns approvals first, then the tagged call, in the format of the API', async () => {
    const { quoteId } = (await quote()).quote;
    const { id, chainId, transactionData, transactions } = await execute({ quoteId });
    expect(chainId).toBe(31_337);
    expect(transactions).toEqual(transactionData);
    expect(transactionData).toEqual([
      { chainId: '31337', from: ALICE, to: PRICED.tokenIn, value: '0', data: expect.stringMatching(/^0x095ea7b3/) },
      { chainId: '31337', from: ALICE, to: expect.any(String), value: '0', data: expect.any(String) },
    ]);
    expect((transactionData[1] as CallItem).data).toBe(`0xdeadbeef00${id.replaceAll('-', '')}`);
    const { action, ...stored } = await row(quoteId);
    expect(action).toMatchObject({
      id,
      type: 'SAMECHAIN_SWAP',
      status: 'INITIAL',
      originAddress: ALICE,
      receiverAddress: BOB,
      expiresAt: new Date(stored.deadline.getTime() + 86_400_000),
    });
    expect(await world.database.actionStep.findMany({ where: { actionId: id } })).toMatchObject([
      { stepIndex: 0, kind: 'SWAP', operator: 'USER', status: 'PENDING' },
    ]);
  });

  it('needs no approval once the allowance suffices, and still has the same action', async () => {
    const { quoteId } = (await quote()).quote;
    const first = await execute({ quoteId });
    chain.allowance = 5_000_000n;
    const second = await execute({ quoteId });
    expect(second.id).toBe(first.id);
    expect(second.transactionData).toEqual(first.transactionData.slice(1));
  });

  it('expires at its deadline, for first and repeated requests', async () => {
    const [{ quoteId: fresh }, { quoteId: used }] = [(await quote()).quote, (await quote()).quote];
    await execute({ quoteId: used });
    await world.database.$executeRaw`UPDATE "Quote" SET deadline = now()`;
    for (const quoteId of [fresh, used]) {
      expect(await rejection(execute({ quoteId }))).toMatchObject({ code: 'QUOTE_EXPIRED', status: 400 });
    }
    expect((await row(fresh)).action).toBeNull();
  });

  it('is not bound by a request that fails', async () => {
    const { quoteId } = (await quote()).quote;
    chain.revert = 'the pool is gone';
    expect(await rejection(execute({ quoteId }))).toMatchObject({
      code: 'SWAP_EXECUTION_FAILED',
      message: expect.stringContaining('the swap: the pool is gone'),
    });
    expect(await row(quoteId)).toMatchObject({ bytecodeHash: null, action: null });
    chain.reset();
    await expect(execute({ quoteId, destinationAddress: ALICE })).resolves.toBeDefined();
  });

  it('is executable for a sender without funds', async () => {
    const { quoteId } = (await quote()).quote;
    chain.balance = 1n;
    chain.revert = 'STF';
    await expect(execute({ quoteId })).resolves.toMatchObject({ quoteId });
  });

  it('accepts exactly its own rawQuote', async () => {
    const provider = fakeProvider('alpha', (request) => Promise.resolve(offerFor(request, { rawQuote })));
    const { quote: view } = await quote({}, { providers: [provider] });
    expect(view.rawQuote).toEqual(rawQuote);
    const { quoteId } = view;
    const changed = { ...rawQuote, fees: [1, 3] };
    expect(await rejection(execute({ quoteId }, { raw: changed }))).toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' });
    await expect(execute({ quoteId }, { raw: { fees: [1, 2], memo: 'm' } })).resolves.toBeDefined();
  });

  it('keeps its webhook URL until a request names another, which also applies to the action', async () => {
    const { quoteId } = (await quote({ webhookURL: WEBHOOK })).quote;
    const { id } = await execute({ quoteId });
    expect(await row(quoteId)).toMatchObject({ webhookUrl: WEBHOOK, action: { id, webhookUrl: WEBHOOK } });
    await execute({ quoteId, webhookURL: OTHER_WEBHOOK });
    expect(await row(quoteId)).toMatchObject({ webhookUrl: OTHER_WEBHOOK, action: { id, webhookUrl: OTHER_WEBHOOK } });
  });

  it('is refused to a blocked wallet', async () => {
    const { quoteId } = (await quote()).quote;
    const blockedAddresses = new Set([BOB]);
    const request = { customerId, fields: { ...BOTH, quoteId }, rawQuote: undefined, signal };
    const refused = createSwapTransaction({ ...depsWith(), blockedAddresses }, request);
    expect(await rejection(refused)).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('a quote with both addresses', () => {
  it('includes its action and its transactions', async () => {
    const result = await quote(BOTH);
    const { id, quote: view, transactionData, transactions } = result;
    expect(result).toMatchObject({ chainId: 31_337, type: 'SAMECHAIN_SWAP' });
    expect(view).toMatchObject({ simulation: { status: 'SUCCESS' }, gasEstimate: { gasLimit: '120000' } });
    expect(transactionData).toEqual({
      chainId: '31337',
      from: ALICE,
      to: expect.any(String),
      value: '0',
      data: expect.stringMatching(new RegExp(`${id!.replaceAll('-', '')}$`)),
      approvals: [transactions![0]],
      transactions,
    });
    expect((await row(view.quoteId)).action).toMatchObject({ id, status: 'INITIAL' });
  });

  it('is stored for amounts of any size', async () => {
    const amountIn = (2n ** 256n - 1n).toString();
    const { id, quote: view } = await quote({ ...BOTH, amountIn });
    const { action, ...stored } = await row(view.quoteId);
    expect(stored.amountIn.toFixed()).toBe(amountIn);
    expect(action).toMatchObject({ id, amountInUsd: null });
  });

  it('has the same action for a repeated request, and refuses other requests', async () => {
    const { id, quote: view, transactions } = await quote(BOTH);
    const { quoteId } = view;
    expect(await execute({ quoteId })).toMatchObject({ id, transactions });
    expect(await rejection(execute({ quoteId, destinationAddress: ALICE }))).toMatchObject({
      code: 'QUOTE_VALIDATION_ERROR',
    });
  });

  it('reports why its transaction would revert, and returns none', async () => {
    chain.revert = 'the pool is gone';
    const result = await quote(BOTH);
    expect(result).toEqual({ quote: expect.objectContaining({ provider: 'alpha' }) });
    expect(result.quote.simulation).toEqual({ status: 'REVERTED', reason: 'the swap: the pool is gone' });
    expect((await row(result.quote.quoteId)).action).toBeNull();
  });

  it('is executable for a sender without funds, and reports the shortage', async () => {
    chain.balance = 4_000_000n;
    chain.revert = 'STF';
    const { id, quote: view } = await quote(BOTH);
    expect(id).toBeDefined();
    expect(view.simulation).toEqual({
      status: 'INSUFFICIENT_BALANCE',
      reason: 'the sender holds 4 USDC of 5 needed',
    });
  });
});
