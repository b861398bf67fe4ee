import { startAction } from '../../src/actions/start-action';
import type { CustomerId } from '../../src/auth/principal';
import { serviceError } from '../../src/errors/service-error';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import type { RawFields } from '../../src/quotes/field-reader';
import { findQuote } from '../../src/quotes/find-quote';
import { quoteDeadline } from '../../src/quotes/quote-deadline';
import type { QuoteProvider } from '../../src/quotes/quote-provider';
import { actionIdOf } from '../../src/transactions/action-id';
import { createSwapTransaction } from '../../src/transactions/create-swap-transaction';
import type { OutputBuilders } from '../../src/transactions/output-builders';
import { requestSwapQuote } from '../../src/transactions/request-swap-quote';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import {
  BRIDGED,
  depositVenue,
  DEPOSIT_ADDRESSES,
  fakeBridge,
  FROM_BITCOIN,
  ON_SOLANA,
  signed,
  solanaVenue,
} from './bridge-world';
import { fakeChain } from './fake-chain';
import { builtProgram, ENTRY_POINT, fakeOutputs, REFERENCE } from './fake-outputs';
import {
  ALICE,
  BOB,
  BOTH,
  chains,
  devnet,
  offering,
  PRICED,
  quoteDeps,
  rejection,
  SOLANA_WALLET,
  units,
} from './swap-world';

const customerId = uuidV7() as CustomerId;
const chain = fakeChain();
const signal = AbortSignal.timeout(60_000);
let world: TestDatabase;

interface Setting {
  readonly providers?: readonly QuoteProvider[];
  readonly outputs?: Partial<OutputBuilders>;
  readonly sponsors?: boolean;
}

const EVERYBODY = [offering('alpha', 4_990_000n), fakeBridge('bridge'), solanaVenue(), depositVenue()];
const depsWith = ({ providers = EVERYBODY, outputs = {}, sponsors = false }: Setting) => {
  const sponsorship = { allowed: () => Promise.resolve(sponsors) };
  const base = quoteDeps({ providers, sponsorship, quoteDeadline: quoteDeadline(world.database) });
  return {
    ...{ ...fakeOutputs(outputs), ...base, database: world.database, startAction, actionExpirySeconds: 86_400 },
    rpc: { ...base.rpc, ...chain.rpc },
  };
};
const quote = (fields: RawFields, setting: Setting = {}) =>
  requestSwapQuote(depsWith(setting), { customerId, fields, signal });
const execute = (fields: RawFields, setting: Setting = {}) =>
  createSwapTransaction(depsWith(setting), { customerId, fields, rawQuote: undefined, signal });
/** A quote that only has a price, and the body that executes it. */
async function priced({ originAddress, destinationAddress, ...route }: RawFields, setting: Setting = {}) {
  const { quoteId } = (await quote(route, setting)).quote;
  return { quoteId, originAddress, destinationAddress };
}
const action = (id: string) =>
  world.database.action.findUniqueOrThrow({
    where: { id },
    include: { steps: { orderBy: { stepIndex: 'asc' } }, calls: { orderBy: { kind: 'asc' } }, delivery: true },
  });

beforeAll(async () => {
  world = await createTestDatabase();
  await world.database.customer.create({ data: { id: customerId, name: 'one' } });
});
afterAll(() => world.drop());
beforeEach(() => chain.reset());

describe('a swap to another chain', () => {
  it('is two steps, the second of which somebody else carries out, and is followed', async () => {
    const { id, type, transactionData, quote: view } = await quote(BRIDGED);
    expect({ type, id }).toEqual({ type: 'CROSSCHAIN_SWAP', id: actionIdOf(view.quoteId) });
    expect(transactionData).toMatchObject({ chainId: '31337', from: ALICE, approvals: [{ chainId: '31337' }] });
    const { steps, calls, delivery, ...row } = await action(id!);
    expect(row).toMatchObject({ type: 'CROSSCHAIN_SWAP', chainIdIn: 31_337n, chainIdOut: 31_338n, provider: 'bridge' });
    expect(steps).toMatchObject([
      { kind: 'BRIDGE', operator: 'USER', protocol: 'bridge', chainId: 31_337n },
      { kind: 'BRIDGE', operator: 'PROVIDER', protocol: 'bridge', chainId: 31_338n },
    ]);
    expect(calls.map(({ kind, form, stepIndex }) => [kind, form, stepIndex])).toEqual([
      ['APPROVAL', 'CALL', 0],
      ['BRIDGE', 'CALL', 0],
    ]);
    expect(delivery).toMatchObject({ provider: 'bridge', deposit: null, nextLookAt: null, customerId });
  });

  it('is completed by the service where the provider says so', async () => {
    const { id } = await quote(BRIDGED, { providers: [fakeBridge('bridge', { completedBy: 'SERVICE' })] });
    expect((await action(id!)).steps[1]).toMatchObject({ operator: 'SERVICE' });
  });

  it('keeps where refunds go, the speed and the fees until it is executed', async () => {
    const offer = {
      ...{ fees: [{ label: 'Relayer', asset: 'tokenOut' as const, amount: units(7n) }], nativeFee: 9n },
      transferSpeed: 'standard' as const,
    };
    const provider = fakeBridge('bridge', { offer });
    const body = await priced({ ...BRIDGED, refundAddress: BOB, transferSpeed: 'fast' }, { providers: [provider] });
    const stored = await findQuote({ database: world.database, chains }, { quoteId: body.quoteId, customerId });
    expect(stored.request).toMatchObject({ refundAddress: BOB, transferSpeed: 'fast' });
    expect(stored.offer).toMatchObject(offer);
    const built = fakeBridge('bridge', {
      ...{
        offer,
        build: async (parameters, until) => ({ ...(await provider.build(parameters, until)), value: 9n }) as never,
      },
    });
    const { id } = await execute(body, { providers: [built] });
    expect((await action(id)).refundAddress).toBe(BOB);
  });

  it.each([
    [
      'PROVIDER_UNAVAILABLE',
      serviceError('PROVIDER_UNAVAILABLE', { provider: 'bridge', reason: 'down' }),
      'BRIDGE_API_ERROR',
    ],
    [
      'NO_ROUTE_FOUND',
      serviceError('NO_ROUTE_FOUND', { tokenIn: 'a', tokenOut: 'b', originChain: 'c', destinationChain: 'd' }),
      'BRIDGE_API_ERROR',
    ],
    ['BRIDGE_API_ERROR', serviceError('BRIDGE_API_ERROR'), 'BRIDGE_API_ERROR'],
    ['QUOTE_EXPIRED', serviceError('QUOTE_EXPIRED', { quoteId: 'q' }), 'QUOTE_EXPIRED'],
    ['AMOUNT_IN_TOO_LOW', serviceError('AMOUNT_IN_TOO_LOW', { minimum: '41 BRLA' }), 'AMOUNT_IN_TOO_LOW'],
  ])('that its provider fails to build with %s is refused with the code of the contract', async (_, error, code) => {
    const failing = fakeBridge('bridge', { build: () => Promise.reject(error) });
    const body = await priced(BRIDGED);
    expect(await rejection(execute(body, { providers: [failing] }))).toMatchObject({ code });
  });

  it('is not found when its provider is not registered any more', async () => {
    const body = await priced(BRIDGED);
    const refused = await rejection(execute(body, { providers: [offering('alpha', 1n)] }));
    expect(refused).toMatchObject({ code: 'PROVIDER_NOT_FOUND', status: 404 });
  });
});

describe('a swap as a user operation', () => {
  const fields = { ...PRICED, ...BOTH, output: 'userOperation' };

  it('is one operation of the account that makes all calls, and looked for as such', async () => {
    const { id, userOperation, transactions, quote: view } = await quote(fields);
    expect(userOperation).toEqual({ sender: ALICE, calls: 2, sponsored: false });
    expect(view.gasEstimate.gasLimit).toBe('777000');
    const { calls, steps } = await action(id!);
    expect(calls).toMatchObject([
      { kind: 'SWAP', form: 'USER_OPERATION', sender: ALICE.toLowerCase(), target: ENTRY_POINT.toLowerCase() },
    ]);
    expect(steps).toMatchObject([{ kind: 'SWAP', operator: 'USER' }]);
    expect(transactions).toHaveLength(2);
    const { quoteId } = view;
    expect(await execute({ ...BOTH, quoteId, output: 'userOperation' })).toMatchObject({ id, userOperation });
    expect(await rejection(execute({ ...BOTH, quoteId }))).toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' });
  });

  it('is handed out with what keeps the account from it, and not at all when that would revert', async () => {
    const simulated = (status: 'REVERTED' | 'INSUFFICIENT_BALANCE', reason: string) => ({
      outputs: {
        buildUserOperation: async (request) => ({
          ...(await fakeOutputs().buildUserOperation(request)),
          ...{ simulation: { status, reason }, gasLimit: undefined },
        }),
      } satisfies Partial<OutputBuilders>,
    });
    const short = await quote(fields, simulated('INSUFFICIENT_BALANCE', 'no deposit'));
    expect(short.quote.simulation).toEqual({ status: 'INSUFFICIENT_BALANCE', reason: 'no deposit' });
    expect(short.userOperation).toBeDefined();
    const reverting = simulated('REVERTED', 'not the owner');
    const { quote: view, ...rest } = await quote(fields, reverting);
    expect([view.simulation?.status, rest]).toEqual(['REVERTED', {}]);
    const body = { ...(await priced({ ...PRICED, ...BOTH })), output: 'userOperation' };
    expect(await rejection(execute(body, reverting))).toMatchObject({
      ...{ code: 'SWAP_EXECUTION_FAILED', message: expect.stringContaining('not the owner') },
    });
  });
});

describe('a sponsored swap', () => {
  const paymaster = ENTRY_POINT;
  const sponsored = { ...BRIDGED, output: 'userOperation', feeSponsorship: true };
  const setting: Setting = { sponsors: true };
  beforeAll(() => void Object.assign(devnet, { paymaster }));
  afterAll(() => void Object.assign(devnet, { paymaster: undefined }));

  it('is one whose gas somebody else pays, and says so', async () => {
    const { userOperation, quote: view } = await quote(sponsored, setting);
    expect(userOperation).toMatchObject({ sponsored: true });
    expect(view.feeSponsorship).toBe(true);
    const gas = view.feeBreakdown.lines.find(({ kind }) => kind === 'gas');
    expect(gas).toMatchObject({ label: 'Network fee, sponsored', amountRaw: '0', amountInUSD: 0 });
  });

  it('stays sponsored when its transaction is asked for later, as long as the customer may', async () => {
    const { output, ...rest } = sponsored;
    const body = await priced(rest, setting);
    expect(await rejection(execute(body, setting))).toMatchObject({ details: { errors: [{ path: 'output' }] } });
    expect(await rejection(execute({ ...body, output }))).toMatchObject({ code: 'FEE_SPONSORSHIP_NOT_ALLOWED' });
    const { userOperation } = await execute({ ...body, output }, setting);
    expect(userOperation).toMatchObject({ sponsored: true });
  });

  it.each<[string, RawFields, boolean]>([
    ['a customer who may not', sponsored, false],
    ['one chain', { ...sponsored, destinationChain: 'devnet', tokenOut: PRICED.tokenOut }, true],
    ['an origin without gas', { ...FROM_BITCOIN, originAddress: '', feeSponsorship: true }, true],
    ['an origin without a paymaster', { ...PRICED, originChain: 'devnet-l2', feeSponsorship: true }, true],
  ])('is not allowed for %s', async (_, fields, sponsors) => {
    expect(await rejection(quote(fields, { sponsors }))).toMatchObject({
      code: 'FEE_SPONSORSHIP_NOT_ALLOWED',
      status: 403,
    });
  });
});

describe('a swap from a custody vault', () => {
  it('comes with a payload for each call, beside the calls', async () => {
    const { id, custody, transactions } = await quote({ ...PRICED, ...BOTH, output: 'custody', accountId: '7' });
    expect(custody).toMatchObject([
      { accountId: '7', chain: 'devnet', actionId: id, to: PRICED.tokenIn },
      { accountId: '7', actionId: id },
    ]);
    expect(transactions).toHaveLength(2);
    expect((await action(id!)).calls.map(({ form }) => form)).toEqual(['CALL', 'CALL']);
  });

  it('is bound to its account', async () => {
    const body = { ...(await priced({ ...PRICED, ...BOTH })), output: 'custody' };
    await execute({ ...body, accountId: '7' });
    expect(await rejection(execute({ ...body, accountId: '8' }))).toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' });
  });
});

describe('a swap on Solana', () => {
  const tables = { lookupTables: { [REFERENCE]: [SOLANA_WALLET] } };

  it('is one transaction, found by an account that only it names', async () => {
    const result = await quote(ON_SOLANA);
    expect(result).toMatchObject({
      ...{ type: 'SAMECHAIN_SWAP', chainId: 1_151_111_081_099_710 },
      transactionData: { chainId: '1151111081099710', rawTransaction: 'AQID' },
      quote: { simulation: { status: 'SUCCESS' }, gasEstimate: { gasLimit: '42000' } },
    });
    expect(Object.keys(result.transactionData!)).toEqual(['chainId', 'rawTransaction']);
    expect(result).not.toHaveProperty('instructions');
    expect((await action(result.id!)).calls).toMatchObject([
      { kind: 'SWAP', form: 'REFERENCE', sender: SOLANA_WALLET, target: REFERENCE, stepIndex: 0 },
    ]);
  });

  it('is given as instructions with their look-up tables, when there are any', async () => {
    const outputs = { executeProgram: () => Promise.resolve(builtProgram(tables)) };
    const body = { ...(await priced(ON_SOLANA)), output: 'instructions' };
    expect(await execute(body, { outputs })).toMatchObject({
      ...{ instructions: [], lutsByAddress: tables.lookupTables, transactionData: [{ rawTransaction: 'AQID' }] },
    });
    const plain = await quote({ ...ON_SOLANA, output: 'instructions' });
    expect(plain.instructions).toMatchObject([{ accounts: [{ pubkey: SOLANA_WALLET }] }]);
    expect(plain).not.toHaveProperty('lutsByAddress');
  });

  it.each(['userOperation', 'custody'])('is refused as %s, naming the output', async (output) => {
    const body = { ...(await priced(ON_SOLANA)), output, accountId: '7' };
    for (const asking of [() => execute(body), () => quote({ ...ON_SOLANA, output, accountId: '7' })]) {
      expect(await rejection(asking())).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { errors: [{ path: 'output' }] },
      });
    }
  });

  it('that would revert is not handed out', async () => {
    const simulation = { status: 'REVERTED', reason: 'slippage' } as const;
    const outputs = { executeProgram: () => Promise.resolve(builtProgram({ simulation, computeUnits: undefined })) };
    expect(await rejection(execute(await priced(ON_SOLANA), { outputs }))).toMatchObject({
      ...{ code: 'SWAP_EXECUTION_FAILED', message: expect.stringContaining('slippage') },
    });
  });

  it.each([
    ['are for another chain', { chainId: 1 }],
    ['have another sender', { from: REFERENCE }],
    ['are none', { instructions: [] }],
    ['ask for the signature of', { instructions: [{ programId: REFERENCE, accounts: [signed(REFERENCE)], data: '' }] }],
  ])('is refused when its instructions %s', async (flaw, changes) => {
    const refused = await rejection(quote(ON_SOLANA, { providers: [solanaVenue(changes)] }));
    expect(refused).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED', message: expect.stringContaining(flaw) });
  });
});

describe('a swap by a deposit', () => {
  it('has nothing to sign: it says where to pay and how much', async () => {
    const result = await quote(FROM_BITCOIN);
    expect(result).toMatchObject({ type: 'CROSSCHAIN_SWAP', depositAmount: '5000000', chainId: 20_000_000_000_099 });
    expect(DEPOSIT_ADDRESSES).toContain(result.depositAddress);
    expect(result).not.toHaveProperty('transactionData');
    expect(result.quote.simulation).toBeUndefined();
    const { steps, calls, delivery } = await action(result.id!);
    expect(calls).toEqual([]);
    expect(steps.map(({ kind, operator }) => [kind, operator])).toEqual([
      ['BRIDGE', 'USER'],
      ['BRIDGE', 'PROVIDER'],
    ]);
    expect(delivery).toMatchObject({ deposit: { address: result.depositAddress }, nextLookAt: expect.any(Date) });
    const body = { ...FROM_BITCOIN, quoteId: result.quote.quoteId };
    expect(await execute(body)).toMatchObject({
      ...{ id: result.id, transactionData: [], depositAddress: result.depositAddress, depositAmount: '5000000' },
    });
  });

  it('has one address under twenty concurrent callers: the one that is followed', async () => {
    const setting = { providers: [depositVenue()] };
    const body = await priced(FROM_BITCOIN, setting);
    const answers = await Promise.all(Array.from({ length: 20 }, () => execute(body, setting)));
    const { delivery } = await action(answers[0]!.id);
    const { address } = delivery!.deposit as { address: string };
    expect(new Set(answers.map(({ depositAddress }) => depositAddress))).toEqual(new Set([address]));
  });

  it.each([
    ['is on another chain', { chainId: 1 }],
    ['has no valid address', { address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyU' }],
    ['is of another amount', { amount: units(5_000_001n) }],
  ])('is refused when it %s', async (flaw, changes) => {
    const refused = await rejection(quote(FROM_BITCOIN, { providers: [depositVenue(changes)] }));
    expect(refused).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED', message: expect.stringContaining(flaw) });
  });
});
