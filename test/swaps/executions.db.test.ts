import { serviceError } from '../../src/errors/service-error';
import { findQuote } from '../../src/quotes/find-quote';
import { actionIdForQuote } from '../../src/transactions/action-id';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import {
  BRIDGED,
  depositVenue,
  DEPOSIT_ADDRESSES,
  fakeBridge,
  FROM_BITCOIN,
  ON_SOLANA,
  signerAccount,
  solanaVenue,
} from './bridge-world';
import { builtProgram, REFERENCE } from './fake-outputs';
import { type Desk, openDesk } from './swap-desk';
import { ALICE, BOB, chains, offering, rejection, SOLANA_WALLET, units } from './swap-world';

let world: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  world = await createTestDatabase();
  desk = await openDesk(world);
});
afterAll(() => world.drop());
beforeEach(() => desk.chain.reset());

describe('a swap to another chain', () => {
  it('has two steps, the second executed by the provider, and a delivery', async () => {
    const { id, type, transactionData, quote: view } = await desk.quote(BRIDGED);
    expect({ type, id }).toEqual({ type: 'CROSSCHAIN_SWAP', id: actionIdForQuote(view.quoteId) });
    expect(transactionData).toMatchObject({ chainId: '31337', from: ALICE, approvals: [{ chainId: '31337' }] });
    const { steps, calls, delivery, ...row } = await desk.action(id!);
    expect(row).toMatchObject({ type: 'CROSSCHAIN_SWAP', chainIdIn: 31_337n, chainIdOut: 31_338n, provider: 'bridge' });
    expect(steps).toMatchObject([
      { kind: 'BRIDGE', operator: 'USER', protocol: 'bridge', chainId: 31_337n },
      { kind: 'BRIDGE', operator: 'PROVIDER', protocol: 'bridge', chainId: 31_338n },
    ]);
    expect(calls.map(({ kind, form, stepIndex }) => [kind, form, stepIndex])).toEqual([
      ['APPROVAL', 'CALL', 0],
      ['BRIDGE', 'CALL', 0],
    ]);
    expect(delivery).toMatchObject({
      provider: 'bridge',
      deposit: null,
      nextPollAt: null,
      customerId: desk.customerId,
    });
  });

  it('is completed by the service when the provider requires it', async () => {
    const { id } = await desk.quote(BRIDGED, { providers: [fakeBridge('bridge', { completedBy: 'SERVICE' })] });
    expect((await desk.action(id!)).steps[1]).toMatchObject({ operator: 'SERVICE' });
  });

  it('keeps refund address, speed and fees until it is executed', async () => {
    const offer = {
      fees: [{ label: 'Relayer', asset: 'tokenOut' as const, amount: units(7n) }],
      nativeFee: 9n,
      transferSpeed: 'standard' as const,
    };
    const provider = fakeBridge('bridge', { offer });
    const body = await desk.priced(
      { ...BRIDGED, refundAddress: BOB, transferSpeed: 'fast' },
      { providers: [provider] },
    );
    const stored = await findQuote(
      { database: world.database, chains },
      { quoteId: body.quoteId, customerId: desk.customerId },
    );
    expect(stored.request).toMatchObject({ refundAddress: BOB, transferSpeed: 'fast' });
    expect(stored.offer).toMatchObject(offer);
    const built = fakeBridge('bridge', {
      offer,
      build: async (parameters, until) => ({ ...(await provider.build(parameters, until)), value: 9n }) as never,
    });
    const { id } = await desk.execute(body, { providers: [built] });
    expect((await desk.action(id)).refundAddress).toBe(BOB);
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
    ['QUOTE_EXPIRED', serviceError('QUOTE_EXPIRED'), 'QUOTE_EXPIRED'],
    ['AMOUNT_IN_TOO_LOW', serviceError('AMOUNT_IN_TOO_LOW', { minimum: '41 BRLA' }), 'AMOUNT_IN_TOO_LOW'],
  ])('that its provider fails to build with %s is refused with the code of the contract', async (_, error, code) => {
    const failing = fakeBridge('bridge', { build: () => Promise.reject(error) });
    const body = await desk.priced(BRIDGED);
    expect(await rejection(desk.execute(body, { providers: [failing] }))).toMatchObject({ code });
  });

  it('is not found when its provider is not registered any more', async () => {
    const body = await desk.priced(BRIDGED);
    const refused = await rejection(desk.execute(body, { providers: [offering('alpha', 1n)] }));
    expect(refused).toMatchObject({ code: 'PROVIDER_NOT_FOUND', status: 404 });
  });
});

describe('a swap on Solana', () => {
  const tables = { lookupTables: { [REFERENCE]: [SOLANA_WALLET] } };

  it('is one transaction, found by its reference account', async () => {
    const result = await desk.quote(ON_SOLANA);
    expect(result).toMatchObject({
      type: 'SAMECHAIN_SWAP',
      chainId: 1_151_111_081_099_710,
      transactionData: { chainId: '1151111081099710', rawTransaction: 'AQID' },
      quote: { simulation: { status: 'SUCCESS' }, gasEstimate: { gasLimit: '42000' } },
    });
    expect(Object.keys(result.transactionData!)).toEqual(['chainId', 'rawTransaction']);
    expect(result).not.toHaveProperty('instructions');
    expect((await desk.action(result.id!)).calls).toMatchObject([
      { kind: 'SWAP', form: 'REFERENCE', sender: SOLANA_WALLET, target: REFERENCE, stepIndex: 0 },
    ]);
  });

  it('is returned as instructions, with their lookup tables if any', async () => {
    const outputs = { buildSolanaTransaction: () => Promise.resolve(builtProgram(tables)) };
    const body = { ...(await desk.priced(ON_SOLANA)), output: 'instructions' };
    expect(await desk.execute(body, { outputs })).toMatchObject({
      instructions: [],
      lutsByAddress: tables.lookupTables,
      transactionData: [{ rawTransaction: 'AQID' }],
    });
    const plain = await desk.quote({ ...ON_SOLANA, output: 'instructions' });
    expect(plain.instructions).toMatchObject([{ accounts: [{ pubkey: SOLANA_WALLET }] }]);
    expect(plain).not.toHaveProperty('lutsByAddress');
  });

  it.each(['userOperation', 'custody'])('is refused as %s, naming the output', async (output) => {
    const body = { ...(await desk.priced(ON_SOLANA)), output, accountId: '7' };
    for (const request of [() => desk.execute(body), () => desk.quote({ ...ON_SOLANA, output, accountId: '7' })]) {
      expect(await rejection(request())).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { errors: [{ path: 'output' }] },
      });
    }
  });

  it('that would revert is not returned', async () => {
    const simulation = { status: 'REVERTED', reason: 'slippage' } as const;
    const outputs = {
      buildSolanaTransaction: () => Promise.resolve(builtProgram({ simulation, computeUnits: undefined })),
    };
    expect(await rejection(desk.execute(await desk.priced(ON_SOLANA), { outputs }))).toMatchObject({
      code: 'SWAP_EXECUTION_FAILED',
      message: expect.stringContaining('slippage'),
    });
  });

  it.each([
    ['are for another chain', { chainId: 1 }],
    ['have another sender', { from: REFERENCE }],
    ['are empty', { instructions: [] }],
    [
      'require the signature of',
      { instructions: [{ programId: REFERENCE, accounts: [signerAccount(REFERENCE)], data: '' }] },
    ],
  ])('is refused when its instructions %s', async (problem, changes) => {
    const refused = await rejection(desk.quote(ON_SOLANA, { providers: [solanaVenue(changes)] }));
    expect(refused).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED', message: expect.stringContaining(problem) });
  });
});

describe('a swap by a deposit', () => {
  it('has nothing to sign, but an address and an amount to pay', async () => {
    const result = await desk.quote(FROM_BITCOIN);
    expect(result).toMatchObject({ type: 'CROSSCHAIN_SWAP', depositAmount: '5000000', chainId: 20_000_000_000_099 });
    expect(DEPOSIT_ADDRESSES).toContain(result.depositAddress);
    expect(result).not.toHaveProperty('transactionData');
    expect(result.quote.simulation).toBeUndefined();
    const { steps, calls, delivery } = await desk.action(result.id!);
    expect(calls).toEqual([]);
    expect(steps.map(({ kind, operator }) => [kind, operator])).toEqual([
      ['BRIDGE', 'USER'],
      ['BRIDGE', 'PROVIDER'],
    ]);
    expect(delivery).toMatchObject({ deposit: { address: result.depositAddress }, nextPollAt: expect.any(Date) });
    const body = { ...FROM_BITCOIN, quoteId: result.quote.quoteId };
    expect(await desk.execute(body)).toMatchObject({
      id: result.id,
      transactionData: [],
      depositAddress: result.depositAddress,
      depositAmount: '5000000',
    });
  });

  it('has one address under twenty concurrent callers, and its delivery expects this address', async () => {
    const setting = { providers: [depositVenue()] };
    const body = await desk.priced(FROM_BITCOIN, setting);
    const responses = await Promise.all(Array.from({ length: 20 }, () => desk.execute(body, setting)));
    const { delivery } = await desk.action(responses[0]!.id);
    const { address } = delivery!.deposit as { address: string };
    expect(new Set(responses.map(({ depositAddress }) => depositAddress))).toEqual(new Set([address]));
  });

  it.each([
    ['is on another chain', { chainId: 1 }],
    ['has no valid address', { address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyU' }],
    ['has an amount other than quoted', { amount: units(5_000_001n) }],
  ])('is refused when it %s', async (problem, changes) => {
    const refused = await rejection(desk.quote(FROM_BITCOIN, { providers: [depositVenue(changes)] }));
    expect(refused).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED', message: expect.stringContaining(problem) });
  });
});
