import { openScriptedTracker, type ScriptedTracker } from '../../../test/actions/scripted-tracker';
import { expireActions } from '../state/expire-actions';

let tracker: ScriptedTracker;
beforeEach(async () => {
  tracker = await openScriptedTracker();
});
afterEach(() => tracker.stop());

/** An action whose transaction is mined in block 1, reverted and not final yet. */
async function minedAction() {
  const { id, transaction } = await tracker.swapAndTransaction();
  await tracker.pass();
  const [txHash] = tracker.node.mine({ ...transaction, reverted: true });
  await tracker.pass();
  return { id, transaction, txHash };
}

const stepOf = (actionId: string) => tracker.test.database.actionStep.findFirstOrThrow({ where: { actionId } });
const catchUp = async () => {
  while ((await tracker.pass()) === 'behind');
};

describe('a transaction that a reorganisation has removed', () => {
  it('is searched for at once, although the settlement of its step is postponed', async () => {
    const { id, txHash } = await minedAction();
    tracker.node.mine();
    tracker.node.intercept = ({ method, params: [hash] }) =>
      method === 'eth_getTransactionByHash' && hash === txHash
        ? { error: { code: -32000, message: 'not now' } }
        : undefined;
    await tracker.pass();
    expect(await tracker.quarantined()).toMatchObject([{ stage: 'settlement' }]);
    tracker.node.removeBlocks(2);
    for (let count = 0; count < 2; count += 1) tracker.node.mine();
    await tracker.pass();
    expect(await stepOf(id)).toMatchObject({ status: 'PENDING', txHash: null });
  });

  it('does not end its action, which was late, before the chain was read again', async () => {
    const { id, transaction } = await tracker.swapAndTransaction();
    await tracker.test.database.action.update({ where: { id }, data: { expiresAt: new Date(0) } });
    await tracker.pass();
    tracker.node.mine();
    await catchUp();
    expect(await expireActions(tracker.test)).toBe(1);
    tracker.node.mine(transaction);
    await catchUp();
    expect(await tracker.statusOf(id)).toBe('PENDING');
    tracker.node.removeBlocks(1);
    for (let count = 0; count < 2; count += 1) tracker.node.mine();
    await tracker.pass();
    expect(await stepOf(id)).toMatchObject({ status: 'PENDING', txHash: null });
    expect(await expireActions(tracker.test)).toBe(0);
    const [txHash] = tracker.node.mine(transaction);
    await catchUp();
    expect(await stepOf(id)).toMatchObject({ status: 'SUBMITTED', txHash });
  });

  it.each([
    ['all blocks that are kept', undefined],
    ['all blocks that are kept, which were replaced as well', `0x${'99'.repeat(32)}`],
  ])('is found in its new block when that is older than %s', async (_, replacedHash) => {
    const { id, transaction } = await minedAction();
    tracker.node.removeBlocks(1);
    const [txHash] = tracker.node.mine(transaction);
    for (let count = 0; count < 300; count += 1) tracker.node.mine();
    await tracker.test.database.trackedBlock.deleteMany();
    const hash = replacedHash ?? (await tracker.deps.rpc.client(31337).getBlock({ blockNumber: 301n })).hash;
    await tracker.test.database.trackedBlock.create({ data: { chainId: 31337, number: 301n, hash } });
    await catchUp();
    await catchUp();
    expect(await tracker.cursor()).toBe(301n);
    expect((await stepOf(id)).txHash).toBe(txHash);
  });
});
