import { recordOrigin } from '../../../test/actions/sample-transfer';
import { CHAIN_ID, openScriptedTracker, type ScriptedTracker } from '../../../test/actions/scripted-tracker';
import { recordConfirmedStep } from './record-confirmed-step';
import { failRevertedStep } from './fail-reverted-step';
import { resetReorgedStep, relocateStep } from './relocate-step';
import { type SubmittedStep, submittedSteps } from './submitted-steps';

let tracker: ScriptedTracker;
beforeAll(async () => {
  tracker = await openScriptedTracker();
  await tracker.pass();
});
afterAll(() => tracker.stop());

const head = async () => {
  const { hash: blockHash, number: blockNumber } = await tracker.deps.rpc.client(CHAIN_ID).getBlock();
  return { blockHash, blockNumber };
};

/** A step as a pass has read it, before another transaction of the same block took the place of its transaction. */
async function replacedStep() {
  const { id } = await tracker.swapAndTransaction();
  const { blockHash } = await head();
  await recordOrigin(tracker.test.database, id, { final: false, reverted: true, blockHash });
  const steps = await submittedSteps(tracker.deps, CHAIN_ID, {});
  const txHash = await recordOrigin(tracker.test.database, id, { final: false, blockHash });
  return { step: steps.find(({ actionId }) => actionId === id)!, txHash };
}

const OUTCOMES: Readonly<Record<string, (step: SubmittedStep) => Promise<unknown>>> = {
  'has failed': (step) =>
    failRevertedStep(tracker.test.database, step, { reason: 'it reverted', substatus: undefined }),
  'has succeeded': (step) =>
    recordConfirmedStep(tracker.test.database, step, { spent: undefined, received: undefined }),
  'is gone': (step) => resetReorgedStep(tracker.deps, step),
  'is in another block': async (step) => {
    const receipt = { ...(await head()), status: 'reverted', logs: [] } as never;
    return relocateStep(tracker.deps, step, { receipt, replaced: true });
  },
};

it.each(Object.entries(OUTCOMES))(
  'a transaction that another one of its block has replaced changes nothing when it %s',
  async (_, settle) => {
    const { step, txHash } = await replacedStep();
    await settle(step);
    const now = await tracker.test.database.actionStep.findFirstOrThrow({ where: { actionId: step.actionId } });
    expect(now).toMatchObject({ status: 'SUBMITTED', txHash, reverted: false, blockHash: step.blockHash });
    expect(await tracker.statusOf(step.actionId)).toBe('PENDING');
  },
);
