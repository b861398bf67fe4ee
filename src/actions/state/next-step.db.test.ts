import { ALICE, createSampleAction, newCustomer, sampleToken } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { usd } from '../../../test/setup/usd';
import type { StepStatus } from '../../persistence/client/enums';
import type { PlannedStep } from '../../transactions/action-plan';
import { nextStep, substatusAfterLoss } from './next-step';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const step = (kind: PlannedStep['kind'], operator: PlannedStep['operator'] = 'USER'): PlannedStep => ({
  kind,
  operator,
  protocol: 'sample',
  chainId: 31337,
});

/** A transfer of a withdrawal: the second step pays the provider, the third is its own. */
const TRANSFER = {
  provider: 'sample',
  part: {
    originStep: 1,
    destinationStep: 2,
    terms: {
      tokenIn: sampleToken('USDC'),
      tokenOut: sampleToken('USDC', { chainId: 31338 }),
      amountIn: 2n,
      amountInUsd: usd('2'),
      amountOut: 2n,
      minAmountOut: 1n,
      receiverAddress: ALICE,
    },
  },
};

interface SampleSteps {
  readonly steps: readonly PlannedStep[];
  readonly statuses: readonly StepStatus[];
  readonly hasTransfer?: boolean;
}

async function actionWith({ steps, statuses, hasTransfer = false }: SampleSteps) {
  const delivery = hasTransfer ? TRANSFER : undefined;
  const { id: actionId, customerId } = await createSampleAction(test.database, { steps, delivery });
  for (const [stepIndex, status] of statuses.entries())
    await test.database.actionStep.updateMany({ where: { actionId, stepIndex }, data: { status } });
  return { actionId, customerId };
}

const next = (action: { actionId: string; customerId: string }) =>
  test.database.$transaction((tx) => nextStep(tx, action));
const afterLoss = (action: { actionId: string; customerId: string }) =>
  test.database.$transaction((tx) => substatusAfterLoss(tx, action));

describe('the next step of an action', () => {
  it.each([
    ['PENDING', 'CONFIRMED', 0],
    ['SUBMITTED', 'PENDING', 0],
    ['CONFIRMED', 'PENDING', 1],
    ['CONFIRMED', 'SUBMITTED', 1],
    ['FAILED', 'PENDING', 1],
    ['SKIPPED', 'PENDING', 1],
  ] as const)('of %s and %s steps is number %i', async (first, second, stepIndex) => {
    const action = await actionWith({
      steps: [step('SWAP'), step('BRIDGE', 'PROVIDER')],
      statuses: [first, second],
    });
    const status = [first, second][stepIndex];
    const [kind, operator] = stepIndex === 0 ? ['SWAP', 'USER'] : ['BRIDGE', 'PROVIDER'];
    expect(await next(action)).toEqual({
      stepIndex,
      status,
      kind,
      operator,
      originStep: undefined,
      action: { delivery: null },
    });
  });

  it('is no approval, and none once all steps are final', async () => {
    const steps = [step('APPROVAL'), step('SWAP')];
    expect(await next(await actionWith({ steps, statuses: ['PENDING', 'SUBMITTED'] }))).toMatchObject({ stepIndex: 1 });
    expect(await next(await actionWith({ steps, statuses: ['PENDING', 'CONFIRMED'] }))).toBeUndefined();
  });

  it('names the step that pays the provider of its transfer', async () => {
    const steps = [step('WITHDRAW'), step('BRIDGE'), step('BRIDGE', 'PROVIDER')];
    const action = await actionWith({ steps, statuses: ['CONFIRMED', 'PENDING', 'PENDING'], hasTransfer: true });
    expect(await next(action)).toMatchObject({ stepIndex: 1, originStep: 1 });
  });

  it('is not found for another customer', async () => {
    const { actionId } = await actionWith({ steps: [step('SWAP')], statuses: ['PENDING'] });
    expect(await next({ actionId, customerId: newCustomer() })).toBeUndefined();
  });
});

describe('an action whose transaction the chain has lost', () => {
  it('waits for its own transaction again', async () => {
    expect(await afterLoss(await actionWith({ steps: [step('SWAP')], statuses: ['PENDING'] }))).toBe('WAITING_ORIGIN');
    const sent = await actionWith({ steps: [step('SWAP'), step('BRIDGE')], statuses: ['CONFIRMED', 'SUBMITTED'] });
    expect(await afterLoss(sent)).toBe('WAITING_CONFIRMATIONS');
  });

  it('waits for the destination where its delivery states nothing, and when all its steps are final', async () => {
    const steps = [step('WITHDRAW'), step('BRIDGE'), step('BRIDGE', 'PROVIDER')];
    const statuses = ['CONFIRMED', 'CONFIRMED', 'PENDING'] as const;
    expect(await afterLoss(await actionWith({ steps, statuses, hasTransfer: true }))).toBe('WAITING_DESTINATION');
    const done = await actionWith({ steps: [step('SWAP')], statuses: ['CONFIRMED'] });
    expect(await afterLoss(done)).toBe('WAITING_DESTINATION');
  });
});
