import { createSampleAction, historyOf } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import type { StepStatus } from '../../persistence/client/enums';
import { FEE_PROTOCOL, type PlannedStep } from '../../transactions/action-plan';
import { expireActions } from './expire-actions';
import { settleConfirmedStep } from './settle-confirmed-step';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const past = (): Date => new Date(Date.now() - 1000);
const own = { operator: 'USER', protocol: 'aave-v3', chainId: 31337 } as const;
const STEPS: readonly PlannedStep[] = [
  { kind: 'SWAP', ...own },
  { kind: 'DEPOSIT', ...own },
];

/** A pending action whose wallet signs a swap and a deposit, with these states of its steps. */
async function pendingAction(
  statuses: readonly StepStatus[],
  changes: { readonly expiresAt?: Date; readonly steps?: readonly PlannedStep[] } = {},
) {
  const { id } = await createSampleAction(test.database, {
    type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
    steps: STEPS,
    expiresAt: past(),
    ...changes,
  });
  await test.database.action.update({ where: { id }, data: { status: 'PENDING' } });
  for (const [stepIndex, status] of statuses.entries())
    await test.database.actionStep.updateMany({ where: { actionId: id, stepIndex }, data: { status } });
  return id;
}

const stateOf = async (id: string) => {
  const { status, substatus, failureReason } = await test.database.action.findUniqueOrThrow({ where: { id } });
  return [status, substatus, failureReason];
};

describe('an action with two transactions of a wallet', () => {
  it('waits for the second one after the first', async () => {
    const id = await pendingAction(['CONFIRMED', 'PENDING'], { expiresAt: new Date(Date.now() + 60_000) });
    const { customerId } = await test.database.action.findUniqueOrThrow({ where: { id } });
    const step = { actionId: id, customerId, stepIndex: 0, txHash: undefined };
    await test.database.$transaction((tx) => settleConfirmedStep(tx, step, { spent: 5n, received: undefined }));
    expect((await stateOf(id)).slice(0, 2)).toEqual(['PENDING', 'WAITING_DESTINATION']);
    expect(await expireActions(test)).toBe(0);
  });

  it('fails when only one of them was sent in time', async () => {
    const id = await pendingAction(['CONFIRMED', 'PENDING']);
    expect(await expireActions(test)).toBe(1);
    expect(await stateOf(id)).toEqual(['FAILED', 'PARTIAL', expect.stringContaining('The wallet has the tokens')]);
    expect(await historyOf(test.database, id)).toContain('PENDING>FAILED PARTIAL');
    const steps = await test.database.actionStep.findMany({ where: { actionId: id }, orderBy: { stepIndex: 'asc' } });
    expect(steps.map(({ status }) => status)).toEqual(['CONFIRMED', 'SKIPPED']);
    expect(await expireActions(test)).toBe(0);
  });

  const [fee, sending] = [FEE_PROTOCOL, 'transfer'].map((protocol) => ({
    ...own,
    kind: 'TRANSFER' as const,
    protocol,
  }));
  const [deposit, withdrawal, swap] = (['DEPOSIT', 'WITHDRAW', 'SWAP'] as const).map((kind) => ({ ...own, kind }));
  const IN_WALLET = '. The wallet has the tokens';
  const WITH_RECIPIENT = '. The recipient has the tokens';
  it.each([
    ['a deposit without its fee', { sent: [deposit!], missing: [fee!], effect: '. The deposit was made' }],
    ['a fee without its deposit', { sent: [fee!], missing: [deposit!], effect: '. The fee was paid' }],
    ['a withdrawal without its swap', { sent: [withdrawal!], missing: [swap!], effect: IN_WALLET }],
    [
      'a withdrawal and its fee without the transfer',
      { sent: [withdrawal!, fee!], missing: [sending!], effect: `${IN_WALLET}. The fee was paid` },
    ],
    ['a withdrawal without its fee', { sent: [withdrawal!], missing: [fee!], effect: WITH_RECIPIENT }],
    ['a transfer that pays no fee', { sent: [sending!], missing: [deposit!], effect: '' }],
  ])('states what was done by %s', async (_, { sent, missing, effect }) => {
    const statuses = [...sent.map(() => 'CONFIRMED' as const), ...missing.map(() => 'PENDING' as const)];
    const id = await pendingAction(statuses, { steps: [...sent, ...missing] });
    await expireActions(test);
    const reason = `Only some of the transactions were sent in time${effect}`;
    expect(await stateOf(id)).toEqual(['FAILED', 'PARTIAL', reason]);
  });

  it.each(['swap', 'transfer'])(
    'does not call a fee paid that was left out, nor tokens kept that a %s sent on',
    async (by) => {
      const steps = [withdrawal!, fee!, by === 'swap' ? swap! : sending!];
      const id = await pendingAction(['CONFIRMED', 'PENDING', 'CONFIRMED'], { steps });
      await expireActions(test);
      const reason = `Only some of the transactions were sent in time${WITH_RECIPIENT}`;
      expect(await stateOf(id)).toEqual(['FAILED', 'PARTIAL', reason]);
    },
  );

  it('does not fail while one of them is seen but not final', async () => {
    const id = await pendingAction(['CONFIRMED', 'SUBMITTED']);
    expect(await expireActions(test)).toBe(0);
    expect((await stateOf(id))[0]).toBe('PENDING');
  });

  it('does not fail before the chain was read up to its expiry', async () => {
    const id = await pendingAction(['CONFIRMED', 'PENDING']);
    const lease = { leaseOwner: '00000000-0000-4000-8000-000000000000', leaseUntil: past() };
    await test.database.chainTracker.create({ data: { chainId: 31337, ...lease, caughtUpAt: null } });
    expect(await expireActions(test)).toBe(0);
    await test.database.chainTracker.updateMany({ data: { caughtUpAt: new Date() } });
    expect(await expireActions(test)).toBe(1);
    expect((await stateOf(id))[0]).toBe('FAILED');
  });
});
