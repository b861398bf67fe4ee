import { createSampleAction } from '../../../test/actions/sample-action';
import { someHash } from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { transfersWithinActions } from '../../../test/strategies/transfers-within-actions';
import { FEE_PROTOCOL, type LegKind, type PlannedStep } from '../../transactions/action-plan';
import { recordExecution } from '../state/record-execution';
import { recordConfirmedStep } from './record-confirmed-step';
import { failRevertedStep } from './fail-reverted-step';
import { submittedSteps } from './submitted-steps';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const [ORIGIN, DESTINATION] = [31337, 31338];
const { pendingAction, setStep } = transfersWithinActions(() => test);
const user = { operator: 'USER', chainId: ORIGIN } as const;
const FEE: PlannedStep = { ...user, kind: 'TRANSFER', protocol: FEE_PROTOCOL };
const strategyStep = (kind: LegKind): PlannedStep => ({ ...user, kind, protocol: 'aave-v3' });
const sending: PlannedStep = { ...user, kind: 'TRANSFER', protocol: 'transfer' };

/** A pending action on one chain, with these steps. */
async function actionOf(...steps: readonly PlannedStep[]): Promise<string> {
  const { id } = await createSampleAction(test.database, { type: 'SAMECHAIN_INVESTMENT_WITHDRAW', steps });
  await test.database.action.update({ where: { id }, data: { status: 'PENDING' } });
  return id;
}

/** Records a transaction of a step, which is not final yet. */
async function send(actionId: string, stepIndex: number, chainId = ORIGIN): Promise<void> {
  const block = { number: 1n, hash: someHash(), timestamp: BigInt(Math.floor(Date.now() / 1000)) };
  const execution = { actionId, stepIndex, chainId, txHash: someHash(), block };
  expect(await test.database.$transaction((tx) => recordExecution(tx, execution))).toBe(true);
}

interface StepPlace {
  readonly stepIndex: number;
  readonly chainId?: number;
}

/** Ends a step as the tracker of its chain does. */
async function end(actionId: string, { stepIndex, chainId = ORIGIN }: StepPlace, outcome: 'CONFIRMED' | 'FAILED') {
  const log = { info: jest.fn(), warn: jest.fn() };
  const steps = await submittedSteps({ database: test.database, log }, chainId, {});
  const step = steps.find((each) => each.actionId === actionId && each.stepIndex === stepIndex)!;
  if (outcome === 'FAILED')
    return failRevertedStep(test.database, step, { reason: 'recipient is blocked', substatus: 'OUT_OF_GAS' });
  return recordConfirmedStep(test.database, step, { spent: undefined, received: undefined });
}

const endOf = async (id: string) => {
  const { status, substatus, failureReason } = await test.database.action.findUniqueOrThrow({ where: { id } });
  return [status, substatus, failureReason];
};

const unpaid = (stepIndex: number) => [
  'FAILED',
  'PARTIAL',
  `The step ${String(stepIndex)} (TRANSFER) failed, the others succeeded: recipient is blocked`,
];

describe('a fee that cannot be transferred', () => {
  it('leaves a deposit between chains partial, which says that the deposit succeeded', async () => {
    const { id } = await pendingAction('lendWithFee', ['CONFIRMED', 'CONFIRMED', 'CONFIRMED']);
    await send(id, 3, DESTINATION);
    await end(id, { stepIndex: 3, chainId: DESTINATION }, 'FAILED');
    expect(await endOf(id)).toEqual(unpaid(3));
  });

  it.each(['DEPOSIT', 'WITHDRAW'] as const)(
    'leaves a %s on one chain partial, whichever is final first',
    async (kind) => {
      for (const order of [
        [0, 1],
        [1, 0],
      ]) {
        const id = await actionOf(strategyStep(kind), FEE);
        await send(id, 0);
        await send(id, 1);
        for (const stepIndex of order) {
          expect((await endOf(id))[0]).toBe('PENDING');
          await end(id, { stepIndex }, stepIndex === 1 ? 'FAILED' : 'CONFIRMED');
        }
        expect(await endOf(id)).toEqual(unpaid(1));
      }
    },
  );

  it('leaves an action partial whose transactions are settled at the same time', async () => {
    const id = await actionOf(strategyStep('DEPOSIT'), FEE);
    await send(id, 0);
    await send(id, 1);
    await Promise.all([end(id, { stepIndex: 0 }, 'CONFIRMED'), end(id, { stepIndex: 1 }, 'FAILED')]);
    expect(await endOf(id)).toEqual(unpaid(1));
  });

  it('does not hide that the remainder of a withdrawal was not sent on', async () => {
    const id = await actionOf(strategyStep('WITHDRAW'), FEE, sending);
    await send(id, 0);
    await end(id, { stepIndex: 0 }, 'CONFIRMED');
    await send(id, 1);
    await end(id, { stepIndex: 1 }, 'FAILED');
    const reason = 'The step 1 (TRANSFER) failed after others had succeeded: recipient is blocked';
    expect(await endOf(id)).toEqual(['FAILED', 'PARTIAL', reason]);
  });

  it('is named beside another one', async () => {
    const id = await actionOf(strategyStep('WITHDRAW'), FEE, FEE);
    for (const stepIndex of [0, 1, 2]) await send(id, stepIndex);
    await end(id, { stepIndex: 1 }, 'FAILED');
    await end(id, { stepIndex: 2 }, 'FAILED');
    await end(id, { stepIndex: 0 }, 'CONFIRMED');
    const reason = 'The steps 1 (TRANSFER) and 2 (TRANSFER) failed, the others succeeded: recipient is blocked';
    expect(await endOf(id)).toEqual(['FAILED', 'PARTIAL', reason]);
  });

  it.each([
    ['was never sent', 'PENDING'],
    ['has failed as well', 'FAILED'],
  ] as const)('makes nothing partial when the deposit %s', async (_, status) => {
    const id = await actionOf(strategyStep('DEPOSIT'), FEE);
    await send(id, 1);
    await setStep(id, 0, { status });
    await end(id, { stepIndex: 1 }, 'FAILED');
    expect(await endOf(id)).toEqual(['FAILED', 'OUT_OF_GAS', 'recipient is blocked']);
  });
});

it('a deposit that fails after its swap is not partial', async () => {
  const id = await actionOf(strategyStep('SWAP'), strategyStep('DEPOSIT'), FEE);
  await setStep(id, 0, { status: 'CONFIRMED' });
  await send(id, 1);
  await end(id, { stepIndex: 1 }, 'FAILED');
  expect(await endOf(id)).toEqual(['FAILED', 'OUT_OF_GAS', 'recipient is blocked']);
});
