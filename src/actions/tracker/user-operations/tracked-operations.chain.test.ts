import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, parseUnits } from 'viem';
import { trackerOf, trackUntil, catchUp, withoutFinality } from '../../../../test/actions/local-tracker';
import { excessiveSwap } from '../../../../test/actions/excessive-swap';
import { historyOf, sampleAction, sampleQuote } from '../../../../test/actions/sample-action';
import { asChain, localToken } from '../../../../test/contract/local-swaps';
import { createTestDatabase, type TestDatabase } from '../../../../test/setup/test-database';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../../../../test/setup/universe-of-tests';
import {
  accountWorld,
  type AccountWorld,
  buildAccountOperation,
  GAS_MONEY,
  type LocalSmartAccount,
  newUndeployedAccount,
  quoteAccountSwap,
} from '../../../../test/smart-accounts/local-accounts';
import { sendBundle, fund, signUserOperation, walletOn } from '../../../../test/smart-accounts/local-operations';
import { isServiceError } from '../../../errors/service-error';
import { toBaseUnits } from '../../../money/base-units';
import type { UnsignedCall } from '../../../venues/quote-provider';
import { actionIdForQuote } from '../../../transactions/action-id';
import type { SafeUserOperation } from '../../../transactions/execution/user-operation/build-safe-operation';
import { tagCall } from '../../../transactions/execution/calls/tag-call';
import { getAction } from '../../get-action';
import { reportTransaction } from '../../report-transaction';
import { startAction } from '../../start-action';
import { runTrackerOnce } from '../run-tracker-once';
import type { TrackerDeps } from '../tracker-deps';

const RECEIVER: Address = '0x00000000000000000000000000000000000A11cE';
const USDC = (amount: string): bigint => parseUnits(amount, 6);

let test: TestDatabase;
let universe: TestUniverse;
let world: AccountWorld;
let deps: TrackerDeps;
beforeAll(async () => {
  [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
  const chain = chainNamed(universe, 'devnet');
  world = accountWorld(test, { chain, wallet: walletOn(chain, universe.accounts[6]!) });
  deps = trackerOf(test.database, asChain(chain), chain.rpcUrl);
  await runTrackerOnce(deps, chain.chainId);
});
afterAll(() => test.drop());

interface IssuedOperation extends SafeUserOperation {
  readonly id: string;
}

/** The action of a swap of USDC for BRLA with this operation of the account as its only call. */
async function startedAction(
  { address: account }: LocalSmartAccount,
  calls: readonly UnsignedCall[],
): Promise<IssuedOperation> {
  const { customerId, database, chain } = world;
  const quoteId = await sampleQuote(database, customerId);
  const id = actionIdForQuote(quoteId);
  const tagged = [...calls.slice(0, -1), tagCall(calls.at(-1)!, id)];
  const built = await buildAccountOperation(world, { account, calls: tagged, actionId: id });
  const issued = { stepIndex: 0, chainId: chain.chainId, form: 'USER_OPERATION', value: 0n } as const;
  const plan = sampleAction({
    quoteId,
    customerId,
    chainIdIn: chain.chainId,
    chainIdOut: chain.chainId,
    originAddress: account,
    receiverAddress: RECEIVER,
    tokenIn: localToken(chain, 'USDC'),
    tokenOut: localToken(chain, 'BRLA'),
    amountIn: toBaseUnits(1n),
    amountOut: toBaseUnits(1n),
    calls: [{ ...issued, sender: account, target: built.entryPoint, data: built.callData }],
  });
  await database.$transaction((tx) => startAction(tx, plan));
  return { ...built, id };
}

const ended = async ({ id: actionId }: IssuedOperation, status: string) => {
  await trackUntil(deps, { actionId, chainId: world.chain.chainId, status });
  return getAction(deps, { customerId: world.customerId, actionId });
};
const statusOf = async ({ id }: IssuedOperation) =>
  (await test.database.action.findUniqueOrThrow({ where: { id } })).status;
const brlaOf = (owner: Address) =>
  world.wallet.readContract({
    address: localToken(world.chain, 'BRLA').address as Address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner],
  });

/** Approval and swap of an account that holds the USDC for it. */
async function funded(amount: bigint): Promise<{ account: LocalSmartAccount; calls: readonly UnsignedCall[] }> {
  const account = await newUndeployedAccount(world, { USDC: amount, ETH: GAS_MONEY });
  const swap = { account: account.address, pair: ['USDC', 'BRLA'], amount, recipient: RECEIVER } as const;
  return { account, calls: (await quoteAccountSwap(world, swap)).calls };
}

/** A swap of the account that reverts. */
const revertingSwap = (account: Address, amountIn: bigint): UnsignedCall =>
  excessiveSwap(world.chain, { account, recipient: RECEIVER, amountIn });

describe('a tracked user operation', () => {
  it('succeeds with the amounts that it moved, under its hash', async () => {
    const { account, calls } = await funded(USDC('250'));
    const action = await startedAction(account, calls);
    const before = await brlaOf(RECEIVER);
    const { transactionHash } = await sendBundle(world.wallet, [
      await signUserOperation(action.userOperation, account.owner),
    ]);
    const arrived = (await brlaOf(RECEIVER)) - before;
    expect(arrived).toBeGreaterThan(0n);
    const { steps, amounts, transactions } = await ended(action, 'SUCCESS');
    const { userOperationHash } = action.userOperation;
    expect(steps).toMatchObject([{ txHash: transactionHash, userOperationHash, status: 'CONFIRMED' }]);
    expect(amounts.assetOut?.amountRaw).toBe(arrived.toString());
    expect(amounts.assetIn?.amountRaw).toBe(USDC('250').toString());
    expect(transactions).toMatchObject([{ txHash: transactionHash, status: 'SUCCESS' }]);
    expect(await historyOf(test.database, action.id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
  });

  it('fails by its own result in a bundle that succeeds, and shares neither transaction nor amounts', async () => {
    const [one, other, third] = [await funded(USDC('100')), await funded(USDC('300')), await funded(USDC('5'))];
    const reverting = [third.calls[0]!, revertingSwap(third.account.address, USDC('5'))];
    const actions = [
      await startedAction(one.account, one.calls),
      await startedAction(third.account, reverting),
      await startedAction(other.account, other.calls),
    ] as const;
    const owners = [one, third, other].map(({ account }) => account.owner);
    const operations = await Promise.all(
      actions.map((each, index) => signUserOperation(each.userOperation, owners[index]!)),
    );
    const before = await brlaOf(RECEIVER);
    const { transactionHash, status } = await sendBundle(world.wallet, operations);
    expect(status).toBe('success');
    const arrived = (await brlaOf(RECEIVER)) - before;
    const [first, , last] = [await ended(actions[0], 'SUCCESS'), undefined, await ended(actions[2], 'SUCCESS')];
    const received = [first, last].map(({ amounts }) => BigInt(amounts.assetOut!.amountRaw));
    expect(received[0]! + received[1]!).toBe(arrived);
    expect(received[1]!).toBeGreaterThan(2n * received[0]!);
    expect([first, last].map(({ amounts }) => amounts.assetIn?.amountRaw)).toEqual(
      ['100', '300'].map((amount) => USDC(amount).toString()),
    );
    const failed = await ended(actions[1], 'FAILED');
    expect(failed).toMatchObject({
      substatus: 'SLIPPAGE_EXCEEDED',
      failureReason: 'The user operation reverted: less would be received than the minimum',
    });
    const hashes = [first, failed, last].map(({ steps }) => steps[0]);
    expect(hashes.map((step) => step?.txHash)).toEqual([transactionHash, transactionHash, transactionHash]);
    expect(hashes.map((step) => step?.userOperationHash)).toEqual(
      actions.map(({ userOperation }) => userOperation.userOperationHash),
    );
  });

  it('with a single call has the reason of its own event when it failed', async () => {
    const account = await newUndeployedAccount(world, { ETH: GAS_MONEY });
    const token = localToken(world.chain, 'USDC').address;
    const args = [RECEIVER, 1n] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
    const transfer = { chainId: world.chain.chainId, from: account.address, to: token, data, value: 0n };
    const action = await startedAction(account, [transfer]);
    expect(action.simulation.status).toBe('REVERTED');
    await sendBundle(world.wallet, [await signUserOperation(action.userOperation, account.owner)]);
    const { failureReason } = await ended(action, 'FAILED');
    expect(failureReason).toMatch(/^The user operation reverted: ERC20InsufficientBalance\(/);
  });

  it('that ran out of gas fails as OUT_OF_GAS', async () => {
    const { account, calls } = await funded(USDC('20'));
    const action = await startedAction(account, calls);
    const { userOperation } = action;
    const callGasLimit: Hex = numberToHex(70_000);
    const message = { ...userOperation.typedData.message, callGasLimit: '70000' };
    const starving = { ...userOperation, callGasLimit, typedData: { ...userOperation.typedData, message } };
    await sendBundle(world.wallet, [await signUserOperation(starving, account.owner)]);
    const failed = await ended(action, 'FAILED');
    expect(failed).toMatchObject({ substatus: 'OUT_OF_GAS', failureReason: 'The user operation ran out of gas' });
    expect(failed.steps[0]?.userOperationHash).not.toBe(userOperation.userOperationHash);
  });

  it('of another account with the same calldata does not execute the action', async () => {
    const amount = USDC('30');
    const { account, calls } = await funded(amount);
    const twin = await newUndeployedAccount(world, { USDC: amount, ETH: GAS_MONEY });
    const action = await startedAction(account, calls);
    const others = await buildAccountOperation(world, {
      account: twin.address,
      calls: [...calls.slice(0, -1), tagCall(calls.at(-1)!, action.id)],
    });
    expect(others.callData).toBe(action.callData);
    await sendBundle(world.wallet, [await signUserOperation(others.userOperation, twin.owner)]);
    await catchUp(deps, world.chain.chainId);
    expect(await statusOf(action)).toBe('INITIAL');
    await sendBundle(world.wallet, [await signUserOperation(action.userOperation, account.owner)]);
    await ended(action, 'SUCCESS');
  });

  it('that two actions wait for executes the older one', async () => {
    const { account, calls } = await funded(USDC('35'));
    const older = await startedAction(account, calls);
    const quoteId = await sampleQuote(test.database, world.customerId);
    const { chainId } = world.chain;
    const plan = sampleAction({
      quoteId,
      customerId: world.customerId,
      chainIdIn: chainId,
      chainIdOut: chainId,
      calls: [
        {
          stepIndex: 0,
          chainId,
          form: 'USER_OPERATION',
          value: 0n,
          sender: account.address,
          target: older.entryPoint,
          data: older.callData,
        },
      ],
    });
    await test.database.$transaction((tx) => startAction(tx, plan));
    await sendBundle(world.wallet, [await signUserOperation(older.userOperation, account.owner)]);
    await ended(older, 'SUCCESS');
    expect(await test.database.action.findUnique({ where: { id: plan.id } })).toMatchObject({ status: 'INITIAL' });
  });

  it('does not fail with a bundle that reverted: another bundle may include it', async () => {
    const { account, calls } = await funded(USDC('40'));
    const action = await startedAction(account, calls);
    const operation = await signUserOperation(action.userOperation, account.owner);
    const stranger = await funded(USDC('1'));
    const unsigned = (await startedAction(stranger.account, stranger.calls)).userOperation;
    expect((await sendBundle(world.wallet, [operation, unsigned])).status).toBe('reverted');
    await catchUp(deps, world.chain.chainId);
    expect(await statusOf(action)).toBe('INITIAL');
    const { transactionHash } = await sendBundle(world.wallet, [operation]);
    expect((await ended(action, 'SUCCESS')).steps).toMatchObject([{ txHash: transactionHash }]);
  });

  it('is awaited again when a reorganisation drops its bundle, and found in the next one', async () => {
    const { account, calls } = await funded(USDC('45'));
    const action = await startedAction(account, calls);
    const operation = await signUserOperation(action.userOperation, account.owner);
    await catchUp(deps, world.chain.chainId);
    const goBack = await snapshotOf(world.chain);
    await sendBundle(world.wallet, [operation]);
    await trackUntil(withoutFinality(deps), { actionId: action.id, chainId: world.chain.chainId, status: 'PENDING' });
    await goBack();
    // A block with other transactions replaces the block of the bundle.
    for (let sent = 0; sent < 3; sent += 1) await fund(world, { account: RECEIVER, symbol: 'ETH', amount: 1n });
    await catchUp(deps, world.chain.chainId);
    const [step] = await test.database.actionStep.findMany({ where: { actionId: action.id } });
    expect(step).toMatchObject({ status: 'PENDING', txHash: null, userOperationHash: null });
    const { transactionHash } = await sendBundle(world.wallet, [operation]);
    expect((await ended(action, 'SUCCESS')).steps).toMatchObject([{ txHash: transactionHash }]);
  });
});

describe('a reported bundle', () => {
  const report = ({ id: actionId }: IssuedOperation, txHash: Hex) =>
    reportTransaction({ ...deps, rpc: world.rpc }, { customerId: world.customerId, actionId, txHash });
  const codeOf = async (promise: Promise<unknown>) => {
    const error: unknown = await promise.catch((reason: unknown) => reason);
    return isServiceError(error) ? error.code : error;
  };

  it('executes each action whose operation it contains once, and no other', async () => {
    const [one, other, absent] = [await funded(USDC('60')), await funded(USDC('70')), await funded(USDC('80'))];
    const actions = [await startedAction(one.account, one.calls), await startedAction(other.account, other.calls)];
    const outside = await startedAction(absent.account, absent.calls);
    const operations = [
      await signUserOperation(actions[0]!.userOperation, one.account.owner),
      await signUserOperation(actions[1]!.userOperation, other.account.owner),
    ];
    const { transactionHash } = await sendBundle(world.wallet, operations);
    for (const action of [...actions, ...actions]) {
      const { status, steps } = await report(action, transactionHash);
      expect(['PENDING', 'SUCCESS']).toContain(status);
      const { userOperationHash } = action.userOperation;
      expect(steps).toMatchObject([{ txHash: transactionHash, userOperationHash }]);
    }
    expect(await codeOf(report(outside, transactionHash))).toBe('VALIDATION_ERROR');
    for (const action of actions) await ended(action, 'SUCCESS');
  });

  it('is reported as reverted when the operation failed in it, and recorded nevertheless', async () => {
    const { account, calls } = await funded(USDC('5'));
    const action = await startedAction(account, [calls[0]!, revertingSwap(account.address, USDC('5'))]);
    const { transactionHash } = await sendBundle(world.wallet, [
      await signUserOperation(action.userOperation, account.owner),
    ]);
    expect(await codeOf(report(action, transactionHash))).toBe('TX_REVERTED');
    await ended(action, 'FAILED');
  });
});
