import fc from 'fast-check';
import type { Address, Hex } from 'viem';
import { createSampleAction, newCustomer, someCalldata } from '../../../../test/actions/sample-action';
import { bundleOf, hashOf, type ScriptedOperation } from '../../../../test/actions/scripted-bundle';
import { CHAIN_ID, openScriptedTracker, type ScriptedTracker } from '../../../../test/actions/scripted-tracker';
import type { CustomerId } from '../../../auth/principal';
import { isServiceError } from '../../../errors/service-error';
import { ENTRY_POINT } from '../../../smart-accounts/safe-contracts';
import { nonceKeyOf } from '../../../transactions/action-nonce-key';
import { reportTransaction } from '../../report-transaction';
import { expireActions } from '../../state/expire-actions';
import { retryQuarantined } from '../retry-quarantined';

const SAFE: Address = `0x${'5a'.repeat(20)}`;
const OTHER_SAFE: Address = `0x${'5b'.repeat(20)}`;

let tracker: ScriptedTracker;
beforeAll(async () => {
  tracker = await openScriptedTracker({ maxResponseBytes: undefined });
  await tracker.pass();
});
afterAll(() => tracker.stop());
afterEach(() => {
  tracker.node.intercept = () => undefined;
});

interface Draft {
  readonly id: string;
  readonly customerId: CustomerId;
  /** The operation that the service builds for the draft. */
  readonly operation: ScriptedOperation & { readonly nonce: bigint };
}

/** Drafts of one account with the same calldata, oldest first; one for each customer. */
async function identicalDrafts(
  customers: readonly CustomerId[],
  { account = SAFE, callData = someCalldata() }: Partial<ScriptedOperation> = {},
): Promise<readonly Draft[]> {
  const drafts: Draft[] = [];
  for (const customerId of customers) {
    const calls = [{ form: 'USER_OPERATION' as const, sender: account, target: ENTRY_POINT, data: callData }];
    const draft = { customerId, isDraft: true, originAddress: account, calls };
    const { id } = await createSampleAction(tracker.test.database, draft);
    drafts.push({ id, customerId, operation: { account, callData, nonce: nonceKeyOf(id) << 64n } });
  }
  return drafts.sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function twoDrafts(customers = [newCustomer(), newCustomer()]): Promise<readonly [older: Draft, younger: Draft]> {
  const [older, younger] = await identicalDrafts(customers);
  return [older!, younger!];
}

/** Puts each group of operations into a bundle, all bundles into one block, and has the tracker read it. */
async function mine(...bundles: readonly (readonly ScriptedOperation[])[]): Promise<readonly Hex[]> {
  const hashes = tracker.node.mine(...bundles.map(bundleOf));
  while ((await tracker.pass()) === 'behind');
  return hashes;
}

/** The operation that executed each action; null for an action that waits. */
async function executedBy(actions: readonly { readonly id: string }[]): Promise<readonly (string | null)[]> {
  const where = { actionId: { in: actions.map(({ id }) => id) }, stepIndex: 0 };
  const steps = await tracker.test.database.actionStep.findMany({ where });
  const operations = new Map(steps.map(({ actionId, userOperationHash }) => [actionId, userOperationHash]));
  return actions.map(({ id }) => operations.get(id) ?? null);
}

const SAME_CUSTOMER = newCustomer();
const PARTIES: readonly (readonly [string, readonly CustomerId[]])[] = [
  ['of one customer', [SAME_CUSTOMER, SAME_CUSTOMER]],
  ['of two customers', [newCustomer(), newCustomer()]],
];

describe.each(PARTIES)('two identical drafts %s', (_, customers) => {
  it.each([
    ['the older one', 0],
    ['the younger one', 1],
  ])('are executed by their own operations when the first that is mined is that of %s', async (_name, first) => {
    const drafts = await twoDrafts([...customers]);
    const [one, other] = [drafts[first]!, drafts[1 - first]!];
    await mine([one.operation]);
    expect(await executedBy([one, other])).toEqual([hashOf(one.operation), null]);
    await mine([other.operation]);
    expect(await executedBy([one, other])).toEqual([hashOf(one.operation), hashOf(other.operation)]);
  });

  it.each([
    ['one bundle', (operations: readonly ScriptedOperation[]) => [operations]],
    ['two bundles of one block', (operations: readonly ScriptedOperation[]) => operations.map((each) => [each])],
  ])('are executed by their own operations in %s, in any order', async (_name, bundled) => {
    const drafts = await twoDrafts([...customers]);
    await mine(...bundled([drafts[1].operation, drafts[0].operation]));
    expect(await executedBy(drafts)).toEqual(drafts.map(({ operation }) => hashOf(operation)));
  });

  it('are executed by their own operations after a retry of the quarantine', async () => {
    const drafts = await twoDrafts([...customers]);
    tracker.node.intercept = ({ method }) =>
      method === 'eth_getTransactionReceipt' ? { error: { code: -32000, message: 'not now' } } : undefined;
    await mine([drafts[1].operation]);
    expect(await executedBy(drafts)).toEqual([null, null]);
    tracker.node.intercept = () => undefined;
    await tracker.test.database.quarantine.updateMany({ data: { nextAt: new Date(0) } });
    await retryQuarantined(tracker.deps, new AbortController().signal);
    expect(await executedBy(drafts)).toEqual([null, hashOf(drafts[1].operation)]);
    expect(await tracker.test.database.quarantine.count({ where: { stage: 'transaction' } })).toBe(0);
  });
});

describe('an operation', () => {
  it('with a nonce that the wallet chose executes the oldest action of the customer', async () => {
    const drafts = await twoDrafts([SAME_CUSTOMER, SAME_CUSTOMER]);
    const own = { ...drafts[0].operation, nonce: 7n };
    await mine([own]);
    expect(await executedBy(drafts)).toEqual([hashOf(own), null]);
  });

  it('with a nonce that the wallet chose executes none of the actions of several customers', async () => {
    const drafts = await twoDrafts();
    const own = { ...drafts[0].operation, nonce: 8n };
    const [txHash] = await mine([own]);
    expect(await executedBy(drafts)).toEqual([null, null]);
    const report = { customerId: drafts[1].customerId, actionId: drafts[1].id, txHash: txHash! };
    await reportTransaction(tracker.deps, report);
    expect(await executedBy(drafts)).toEqual([null, hashOf(own)]);
  });

  it('executes the oldest action that waits behind many with operations of their own in the same bundle', async () => {
    const drafts = await identicalDrafts(Array.from({ length: 10 }, () => SAME_CUSTOMER));
    const built = drafts.map(({ operation }) => operation);
    const [first, last] = [20n, 21n].map((nonce) => ({ ...built[0]!, nonce }));
    const operations = [first!, ...built.slice(1, -1), last!];
    await mine(operations);
    expect(await executedBy(drafts)).toEqual(operations.map(hashOf));
  });

  it('executes the action with its calldata, although its nonce key is the id of an action with other calldata', async () => {
    const [[one], [other]] = [await identicalDrafts([SAME_CUSTOMER]), await identicalDrafts([SAME_CUSTOMER])];
    const mixed = { ...one!.operation, nonce: other!.operation.nonce };
    await mine([mixed]);
    expect(await executedBy([one!, other!])).toEqual([hashOf(mixed), null]);
  });

  it('executes the action of its account, although its nonce key is the id of an action of another account', async () => {
    const callData = someCalldata();
    const [own] = await identicalDrafts([SAME_CUSTOMER], { callData });
    const [foreign] = await identicalDrafts([SAME_CUSTOMER], { callData, account: OTHER_SAFE });
    const mixed = { ...own!.operation, nonce: foreign!.operation.nonce };
    await mine([mixed]);
    expect(await executedBy([own!, foreign!])).toEqual([hashOf(mixed), null]);
  });

  it('that was built for an action that ended executes no other action', async () => {
    const drafts = await twoDrafts();
    await tracker.test.database.action.update({ where: { id: drafts[0].id }, data: { expiresAt: new Date(0) } });
    await expireActions(tracker.test);
    await tracker.test.database.actionCall.updateMany({ where: { actionId: drafts[0].id }, data: { open: false } });
    await mine([drafts[0].operation]);
    expect(await executedBy(drafts)).toEqual([null, null]);
  });
});

describe('a reported bundle', () => {
  const report = async ({ id: actionId, customerId }: Draft, txHash: Hex): Promise<unknown> => {
    const reported = reportTransaction(tracker.deps, { customerId, actionId, txHash });
    const error: unknown = await reported.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return isServiceError(error) ? error.code : error;
  };
  /** The tracker does not read the block before the report. */
  const mineUnread = (operations: readonly ScriptedOperation[]): Hex => tracker.node.mine(bundleOf(operations))[0]!;

  it('executes the action that its operation was built for, and no identical one', async () => {
    const drafts = await twoDrafts();
    const txHash = mineUnread([drafts[1].operation]);
    expect(await report(drafts[0], txHash)).toBe('VALIDATION_ERROR');
    expect(await report(drafts[1], txHash)).toBeUndefined();
    expect(await executedBy(drafts)).toEqual([null, hashOf(drafts[1].operation)]);
  });

  it('executes each action with its own operation', async () => {
    const drafts = await twoDrafts();
    const chosen = { ...drafts[0].operation, nonce: 8n };
    const txHash = mineUnread([chosen, drafts[1].operation, drafts[0].operation]);
    for (const draft of drafts) expect(await report(draft, txHash)).toBeUndefined();
    expect(await executedBy(drafts)).toEqual(drafts.map(({ operation }) => hashOf(operation)));
  });

  it('executes an action with an operation whose nonce the wallet chose', async () => {
    const drafts = await twoDrafts();
    const chosen = { ...drafts[1].operation, nonce: 9n };
    expect(await report(drafts[1], mineUnread([chosen]))).toBeUndefined();
    expect(await executedBy(drafts)).toEqual([null, hashOf(chosen)]);
  });
});

/**
 * What the operations of one block execute, in their order: each its own action, or else the oldest one that waits, unless
 * actions of several customers wait.
 */
function expectedExecutions(drafts: readonly Draft[], operations: readonly ScriptedOperation[]) {
  const executed = new Map<string, string>();
  for (const operation of operations) {
    const own = drafts.find(({ operation: { nonce } }) => nonce === operation.nonce);
    const waiting = drafts.filter(({ id }) => !executed.has(id));
    const isAmbiguous = new Set(waiting.map(({ customerId }) => customerId)).size > 1;
    const chosen = own ?? (isAmbiguous ? undefined : waiting[0]);
    if (chosen !== undefined && !executed.has(chosen.id)) executed.set(chosen.id, hashOf(operation));
  }
  return drafts.map(({ id }) => executed.get(id) ?? null);
}

it('any sequence of operations executes the actions that they were built for, the others the oldest of one customer that waits', async () => {
  const customers = [newCustomer(), newCustomer()];
  // A position beyond the drafts stands for a nonce that the wallet chose.
  const sequences = fc.uniqueArray(fc.nat({ max: 9 }), { minLength: 1, maxLength: 10 });
  let nonce = 1000n;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), sequences, fc.boolean(), async (count, sequence, together) => {
      const drafts = await identicalDrafts(Array.from({ length: count }, (_, index) => customers[index % 2]!));
      const { operation } = drafts[0]!;
      const operations = sequence.map(
        (position) => drafts[position]?.operation ?? { ...operation, nonce: (nonce += 1n) },
      );
      await mine(...(together ? [operations] : operations.map((each) => [each])));
      expect(await executedBy(drafts)).toEqual(expectedExecutions(drafts, operations));
    }),
    { numRuns: 10 },
  );
});

it('a bundle is read again without executing further actions', async () => {
  const drafts = await twoDrafts([SAME_CUSTOMER, SAME_CUSTOMER]);
  await mine([drafts[1].operation, { ...drafts[0].operation, nonce: 10n }]);
  const before = await executedBy(drafts);
  await tracker.test.database.trackedBlock.deleteMany({ where: { chainId: CHAIN_ID, number: { gt: 0n } } });
  await mine();
  expect(await executedBy(drafts)).toEqual(before);
});
