import { type Address, encodeAbiParameters, getAddress, pad, toEventSelector } from 'viem';
import {
  createSampleAction,
  newCustomer,
  ROUTER,
  sampleToken,
  someCalldata,
} from '../../../../test/actions/sample-action';
import { safeState, safeTransaction, type ScriptedSafeCall } from '../../../../test/actions/scripted-safe';
import { openScriptedTracker, type ScriptedTracker } from '../../../../test/actions/scripted-tracker';
import type { CustomerId } from '../../../auth/principal';
import { toBaseUnits } from '../../../money/base-units';
import { reportTransaction } from '../../report-transaction';

const SAFE_ACCOUNT = getAddress(`0x${'5a'.repeat(20)}`);

let tracker: ScriptedTracker;
beforeEach(async () => {
  tracker = await openScriptedTracker();
  tracker.node.intercept = safeState(SAFE_ACCOUNT);
  await tracker.pass();
});
afterEach(() => tracker.stop());

interface ClaimAction {
  readonly id: string;
  readonly customerId: CustomerId;
  readonly call: ScriptedSafeCall;
}

const catchUp = async () => {
  while ((await tracker.pass()) === 'behind');
};

const REWARDS = getAddress(`0x${'c0'.repeat(20)}`);
const REWARD = getAddress(`0x${'c1'.repeat(20)}`);
const event = (address: Address, [signature, ...parties]: readonly [string, ...Address[]], amount: bigint) => ({
  address,
  topics: [toEventSelector(signature), ...parties.map((party) => pad(party))],
  data: encodeAbiParameters([{ type: 'uint256' }], [amount]),
});
const moved = (from: Address, to: Address, amount: bigint) =>
  event(REWARD, ['Transfer(address,address,uint256)', from, to], amount);
const paid = (amount: bigint) => [
  moved(REWARDS, SAFE_ACCOUNT, amount),
  event(REWARDS, ['RewardClaimed(address,address,address,uint256)', SAFE_ACCOUNT, SAFE_ACCOUNT, REWARD], amount),
];

/** An action that claims a reward of the Safe; of the same customer and with the same call as another one on request. */
async function claimAction(quoted: bigint, like?: ClaimAction): Promise<ClaimAction> {
  const { customerId, call } = like ?? { customerId: newCustomer(), call: { to: REWARDS, data: someCalldata() } };
  const { id } = await createSampleAction(tracker.test.database, {
    customerId,
    type: 'REWARD_CLAIM',
    originAddress: SAFE_ACCOUNT,
    receiverAddress: SAFE_ACCOUNT,
    tokenOut: sampleToken('COMP', { address: REWARD }),
    amountIn: toBaseUnits(0n),
    amountOut: toBaseUnits(quoted),
    minAmountOut: toBaseUnits(quoted - quoted / 100n),
    steps: [{ kind: 'CLAIM', operator: 'USER', protocol: 'compound-v3', chainId: 31337 }],
    calls: [{ sender: SAFE_ACCOUNT, target: call.to, data: call.data }],
  });
  return { id, customerId, call };
}

/** The transaction of a batch of the calls of these actions and others, with these events. */
function batchOf(actions: readonly ClaimAction[], others: readonly ScriptedSafeCall[], logs: readonly object[]) {
  const batch = safeTransaction({ safe: SAFE_ACCOUNT, calls: [...actions.map(({ call }) => call), ...others] });
  return Object.assign(batch, { logs: [...(batch.logs ?? []), ...logs] });
}

/** Status and amount of each action. */
async function resultsOf(actions: readonly ClaimAction[]) {
  const results = await Promise.all(
    actions.map(({ id }) => tracker.test.database.action.findUniqueOrThrow({ where: { id } })),
  );
  return results.map(({ status, amountOut }) => `${status} ${amountOut.toFixed(0)}`);
}

/** Those after the batch. */
async function resultOf(actions: readonly ClaimAction[], others: readonly ScriptedSafeCall[], logs: readonly object[]) {
  tracker.node.mine(batchOf(actions, others, logs));
  await catchUp();
  tracker.node.mine();
  await catchUp();
  return resultsOf(actions);
}

describe('a claim of a Safe', () => {
  const sale: ScriptedSafeCall = { to: ROUTER, data: someCalldata() };

  it('has brought what the contract paid, although the same batch sells the reward', async () => {
    const claim = await claimAction(1000n);
    const logs = [...paid(1001n), moved(SAFE_ACCOUNT, ROUTER, 1001n)];
    expect(await resultOf([claim], [sale], logs)).toEqual(['SUCCESS 1001']);
  });

  it.each([
    ['both are paid', [1001n, 500n], ['SUCCESS 1001', 'SUCCESS 500']],
    ['another account has made the second', [1001n], ['SUCCESS 1001', 'FAILED 500']],
    ['another account has made the first', [501n], ['FAILED 1000', 'SUCCESS 501']],
    ['another account has made both', [], ['FAILED 1000', 'FAILED 500']],
  ])('and another one of the same reward end with what each has brought when %s', async (_, amounts, expected) => {
    const claims = [await claimAction(1000n), await claimAction(500n)];
    expect(await resultOf(claims, [], amounts.flatMap(paid))).toEqual(expected);
  });

  it('has brought what the contract paid, although another action has issued the same call with a closer quote', async () => {
    const executed = await claimAction(1000n);
    const identical = await claimAction(1010n, executed);
    tracker.node.mine(batchOf([executed], [], paid(1010n)));
    await catchUp();
    tracker.node.mine();
    await catchUp();
    expect(await resultsOf([executed, identical])).toEqual(['SUCCESS 1010', 'INITIAL 1010']);
  });

  it('ends before the tracker has read the block of the batch with nothing that another one has brought', async () => {
    const [first, second] = [await claimAction(500n), await claimAction(505n)];
    // More blocks than one pass reads.
    for (let block = 0; block < 61; block += 1) tracker.node.mine();
    const [txHash] = tracker.node.mine(batchOf([first, second], [], paid(505n)));
    tracker.node.mine();
    await reportTransaction(tracker.deps, { customerId: first.customerId, actionId: first.id, txHash: txHash! });
    expect(await tracker.pass()).toBe('behind');
    expect(await resultsOf([first, second])).toEqual(['FAILED 500', 'INITIAL 505']);
    await catchUp();
    expect(await resultsOf([first, second])).toEqual(['FAILED 500', 'SUCCESS 505']);
  });
});
