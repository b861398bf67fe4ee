import { ENTRY_POINT } from '../../src/smart-accounts/safe-contracts';
import type { RawFields } from '../../src/errors/field-reader';
import { ServiceError } from '../../src/errors/service-error';
import type { OutputBuilders } from '../../src/transactions/execution/output-builders';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { BRIDGED, FROM_BITCOIN } from './bridge-world';
import { fakeOutputs } from './fake-outputs';
import { type Desk, openDesk, type Setting } from './swap-desk';
import { ALICE, BOTH, devnet, PRICED, rejection } from './swap-world';

let world: TestDatabase;
let desk: Desk;
beforeAll(async () => {
  world = await createTestDatabase();
  desk = await openDesk(world);
});
afterAll(() => world.drop());
beforeEach(() => desk.chain.reset());

describe('a swap as a user operation', () => {
  const fields = { ...PRICED, ...BOTH, output: 'userOperation' };

  it('is one operation of the account with all calls, and tracked as an operation', async () => {
    const { id, userOperation, transactions, quote: view } = await desk.quote(fields);
    expect(userOperation).toEqual({ sender: ALICE, calls: 2, sponsored: false });
    expect(view.gasEstimate.gasLimit).toBe('777000');
    const { calls, steps } = await desk.action(id!);
    expect(calls).toMatchObject([
      { kind: 'SWAP', form: 'USER_OPERATION', sender: ALICE.toLowerCase(), target: ENTRY_POINT.toLowerCase() },
    ]);
    expect(steps).toMatchObject([{ kind: 'SWAP', operator: 'USER' }]);
    expect(transactions).toHaveLength(2);
    const { quoteId } = view;
    expect(await desk.execute({ ...BOTH, quoteId, output: 'userOperation' })).toMatchObject({ id, userOperation });
    expect(await rejection(desk.execute({ ...BOTH, quoteId }))).toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' });
  });

  it('is returned with its shortage of funds, but not when it would revert', async () => {
    const simulated = (status: 'REVERTED' | 'INSUFFICIENT_BALANCE', reason: string) => ({
      outputs: {
        buildUserOperation: async (request) => ({
          ...(await fakeOutputs().buildUserOperation(request)),
          simulation: { status, reason },
          gasLimit: undefined,
        }),
      } satisfies Partial<OutputBuilders>,
    });
    const short = await desk.quote(fields, simulated('INSUFFICIENT_BALANCE', 'no deposit'));
    expect(short.quote.simulation).toEqual({ status: 'INSUFFICIENT_BALANCE', reason: 'no deposit' });
    expect(short.userOperation).toBeDefined();
    const reverting = simulated('REVERTED', 'not the owner');
    const { quote: view, ...rest } = await desk.quote(fields, reverting);
    expect([view.simulation?.status, rest]).toEqual(['REVERTED', {}]);
    const body = { ...(await desk.priced({ ...PRICED, ...BOTH })), output: 'userOperation' };
    expect(await rejection(desk.execute(body, reverting))).toMatchObject({
      code: 'SWAP_EXECUTION_FAILED',
      message: expect.stringContaining('not the owner'),
    });
  });
});

describe('a sponsored swap', () => {
  const paymaster = ENTRY_POINT;
  const sponsored = { ...BRIDGED, output: 'userOperation', feeSponsorship: true };
  const setting: Setting = { sponsors: true };
  beforeAll(() => void Object.assign(devnet, { paymaster }));
  afterAll(() => void Object.assign(devnet, { paymaster: undefined }));

  it('has its gas paid by the paymaster, and reports it', async () => {
    const { userOperation, quote: view } = await desk.quote(sponsored, setting);
    expect(userOperation).toMatchObject({ sponsored: true });
    expect(view.feeSponsorship).toBe(true);
    const gas = view.feeBreakdown.lines.find(({ kind }) => kind === 'gas');
    expect(gas).toMatchObject({ label: 'Network fee, sponsored', amountRaw: '0', amountInUSD: '0' });
  });

  it('stays sponsored for a later request while the customer has the feature', async () => {
    const { output, ...rest } = sponsored;
    const body = await desk.priced(rest, setting);
    expect(await rejection(desk.execute(body, setting))).toMatchObject({ details: { errors: [{ path: 'output' }] } });
    expect(await rejection(desk.execute({ ...body, output }))).toMatchObject({ code: 'FEE_SPONSORSHIP_NOT_ALLOWED' });
    const { userOperation } = await desk.execute({ ...body, output }, setting);
    expect(userOperation).toMatchObject({ sponsored: true });
  });

  it('is refused for a sender without the funds, when quoted and when executed', async () => {
    const { output, ...rest } = sponsored;
    const body = { ...(await desk.priced(rest, setting)), output };
    Object.assign(desk.chain, { balance: 0n, revert: 'STF' });
    const attempts = [desk.quote(sponsored, setting), desk.execute(body, setting)];
    const message = expect.stringContaining('lacks the funds for a sponsored operation: the sender holds 0 USDC of 5');
    for (const error of await Promise.all(attempts.map(rejection))) {
      expect(error).toMatchObject({
        code: 'VALIDATION_ERROR',
        status: 422,
        details: { errors: [{ path: 'originAddress', message }] },
      });
    }
  });

  it.each(['RATE_LIMIT_EXCEEDED', 'PROVIDER_UNAVAILABLE'] as const)(
    'is refused with %s when the operation is, with its details',
    async (code) => {
      const error = new ServiceError(code, 'refused', { details: { limit: 'sponsoredGasUsd' } });
      const refusing: Setting = { ...setting, outputs: { buildUserOperation: () => Promise.reject(error) } };
      expect(await rejection(desk.quote(sponsored, refusing))).toMatchObject({ code, details: error.details });
    },
  );

  it.each<[string, RawFields, boolean]>([
    ['a customer without the feature', sponsored, false],
    ['one chain', { ...sponsored, destinationChain: 'devnet', tokenOut: PRICED.tokenOut }, true],
    ['an origin without gas', { ...FROM_BITCOIN, originAddress: '', feeSponsorship: true }, true],
    ['an origin without a paymaster', { ...PRICED, originChain: 'devnet-l2', feeSponsorship: true }, true],
  ])('is not allowed for %s', async (_, fields, sponsors) => {
    expect(await rejection(desk.quote(fields, { sponsors }))).toMatchObject({
      code: 'FEE_SPONSORSHIP_NOT_ALLOWED',
      status: 403,
    });
  });
});

describe('a swap from a custody vault', () => {
  it('includes a payload for each call, in addition to the calls', async () => {
    const { id, custody, transactions } = await desk.quote({ ...PRICED, ...BOTH, output: 'custody', accountId: '7' });
    expect(custody).toMatchObject([
      { accountId: '7', chain: 'devnet', actionId: id, to: PRICED.tokenIn },
      { accountId: '7', actionId: id },
    ]);
    expect(transactions).toHaveLength(2);
    expect((await desk.action(id!)).calls.map(({ form }) => form)).toEqual(['CALL', 'CALL']);
  });

  it('is bound to its vault account', async () => {
    const body = { ...(await desk.priced({ ...PRICED, ...BOTH })), output: 'custody' };
    await desk.execute({ ...body, accountId: '7' });
    expect(await rejection(desk.execute({ ...body, accountId: '8' }))).toMatchObject({
      code: 'QUOTE_VALIDATION_ERROR',
    });
  });
});
