import { type Address, encodeFunctionData, erc20Abi, type Hex, parseAbi, parseEther, parseUnits } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { trackerOf, trackUntil } from '../../../../test/actions/local-tracker';
import { createSampleAction, newCustomer } from '../../../../test/actions/sample-action';
import { batchOf, executionOf, type ScriptedSafeCall } from '../../../../test/actions/scripted-safe';
import { asChain, localToken } from '../../../../test/contract/local-swaps';
import { createTestDatabase, type TestDatabase } from '../../../../test/setup/test-database';
import { chainNamed, type TestUniverse, universeOfTests } from '../../../../test/setup/universe-of-tests';
import { fund, type LocalWallet, sendCall, walletOn } from '../../../../test/smart-accounts/local-operations';
import { toBaseUnits } from '../../../money/base-units';
import { deriveSafeAccount } from '../../../smart-accounts/safe-account';
import { SAFE } from '../../../smart-accounts/safe-contracts';
import { tagCall } from '../../../transactions/execution/calls/tag-call';
import { getAction } from '../../get-action';
import { reportTransaction } from '../../report-transaction';
import { runTrackerOnce } from '../run-tracker-once';
import { submittedSteps } from '../submitted-steps';
import type { TrackerDeps } from '../tracker-deps';
import { confirmOrFailSafeCall } from './confirm-or-fail-safe-call';

const RECEIVER: Address = '0x00000000000000000000000000000000000A11cE';
const AMOUNT = parseUnits('3', 6);
const FEE = 45_000n;

let test: TestDatabase;
let chain: TestUniverse['chains'][number];
let owner: LocalWallet;
let safe: Address;
let deps: TrackerDeps;
beforeAll(async () => {
  const universe = await universeOfTests();
  [chain, test] = [chainNamed(universe, 'devnet'), await createTestDatabase()];
  const privateKey = generatePrivateKey();
  const { address } = privateKeyToAccount(privateKey);
  owner = walletOn(chain, { address, privateKey });
  const world = { chain, wallet: walletOn(chain, universe.accounts[6]!) };
  await fund(world, { account: address, symbol: 'ETH', amount: parseEther('1') });
  const account = await deriveSafeAccount(address);
  await sendCall(owner, { to: account.factory, data: account.factoryData });
  safe = account.address;
  await fund(world, { account: safe, symbol: 'USDC', amount: 10n * AMOUNT });
  deps = trackerOf(test.database, asChain(chain), chain.rpcUrl);
  await runTrackerOnce(deps, chain.chainId);
});
afterAll(() => test.drop());

/** An action of the Safe that transfers USDC. */
async function transfer(amount = AMOUNT): Promise<{ readonly id: string; readonly call: ScriptedSafeCall }> {
  const customerId = newCustomer();
  const token = localToken(chain, 'USDC');
  const args = [RECEIVER, amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  const bare = { chainId: chain.chainId, from: safe, to: token.address, data, value: 0n };
  const call = tagCall(bare, customerId);
  const { id } = await createSampleAction(test.database, {
    customerId,
    type: 'TRANSFER_OUT',
    chainIdIn: chain.chainId,
    chainIdOut: chain.chainId,
    originAddress: safe,
    receiverAddress: RECEIVER,
    tokenIn: token,
    tokenOut: token,
    amountIn: toBaseUnits(amount),
    amountOut: toBaseUnits(amount),
    minAmountOut: toBaseUnits(amount),
    steps: [{ kind: 'TRANSFER', operator: 'USER', protocol: 'transfer', chainId: chain.chainId }],
    calls: [{ sender: safe, target: token.address, data: call.data }],
  });
  return { id, call: { to: token.address as Address, data: call.data } };
}

/** A withdrawal to the Safe, and the transfer of the fee on its profit. */
async function withdrawal() {
  const customerId = newCustomer();
  const token = localToken(chain, 'USDC');
  const abi = [...erc20Abi, ...parseAbi(['function mint(address to, uint256 value)'])];
  const bare = { chainId: chain.chainId, from: safe, to: token.address, value: 0n };
  const calls = [
    encodeFunctionData({ abi, functionName: 'mint', args: [safe, AMOUNT] }),
    encodeFunctionData({ abi, functionName: 'transfer', args: [RECEIVER, FEE] }),
  ].map((data) => ({ to: token.address as Address, data: tagCall({ ...bare, data }, customerId).data }));
  const own = { operator: 'USER' as const, chainId: chain.chainId };
  const net = toBaseUnits(AMOUNT - FEE);
  const { id } = await createSampleAction(test.database, {
    customerId,
    type: 'SAMECHAIN_INVESTMENT_WITHDRAW',
    chainIdIn: chain.chainId,
    chainIdOut: chain.chainId,
    originAddress: safe,
    receiverAddress: safe,
    tokenIn: localToken(chain, 'WETH'),
    tokenOut: token,
    amountOut: net,
    minAmountOut: net,
    fees: {
      total: '0',
      currency: 'USD',
      breakdown: [{ type: 'performance', amount: '0', currency: 'USD', token: 'USDC', tokenAmount: FEE.toString() }],
    },
    steps: [
      { ...own, kind: 'WITHDRAW', protocol: 'erc4626' },
      { ...own, kind: 'TRANSFER', protocol: 'fee' },
    ],
    calls: calls.map(({ to, data }, stepIndex) => ({ sender: safe, target: to, data, stepIndex })),
  });
  return { id, customerId, calls };
}

const execute = async (data: Hex) => {
  const receipt = await sendCall(owner, { to: safe, data, gas: 600_000n });
  expect(receipt.status).toBe('success');
  return receipt.transactionHash;
};
const ended = async (actionId: string, status: string) => {
  await trackUntil(deps, { actionId, chainId: chain.chainId, status });
  const { customerId } = await test.database.action.findUniqueOrThrow({ where: { id: actionId } });
  return getAction(deps, { customerId: customerId as never, actionId });
};

describe('a transfer from a Safe', () => {
  it('succeeds with the transaction of an owner', async () => {
    const { id, call } = await transfer();
    const txHash = await execute(executionOf(call, 0, owner.account.address));
    const { steps, amounts } = await ended(id, 'SUCCESS');
    expect(steps).toMatchObject([{ txHash, status: 'CONFIRMED' }]);
    expect(amounts.assetIn?.amountRaw).toBe(AMOUNT.toString());
  });

  it('succeeds in a batch with another one, each with its amount', async () => {
    const [one, other] = [await transfer(), await transfer(2n * AMOUNT)];
    const batch = { to: SAFE.multiSendCallOnly, data: batchOf([one.call, other.call]) };
    const txHash = await execute(executionOf(batch, 1, owner.account.address));
    for (const [{ id }, amount] of [
      [one, AMOUNT],
      [other, 2n * AMOUNT],
    ] as const) {
      const { steps, amounts } = await ended(id, 'SUCCESS');
      expect(steps).toMatchObject([{ txHash, status: 'CONFIRMED' }]);
      expect(amounts.assetIn?.amountRaw).toBe(amount.toString());
    }
  });
});

describe('a withdrawal of a Safe with a fee on its profit', () => {
  const received = async (id: string) => (await ended(id, 'SUCCESS')).amounts.assetOut?.amountRaw;

  it('brings what the fee leaves, in one batch with it', async () => {
    const { id, calls } = await withdrawal();
    const batch = { to: SAFE.multiSendCallOnly, data: batchOf(calls) };
    await execute(executionOf(batch, 1, owner.account.address));
    expect(await received(id)).toBe((AMOUNT - FEE).toString());
  });

  it('brings what the fee leaves when its batch is reported while the tracker has not read the fee yet', async () => {
    const { id, customerId, calls } = await withdrawal();
    const batch = { to: SAFE.multiSendCallOnly, data: batchOf(calls) };
    const txHash = await execute(executionOf(batch, 1, owner.account.address));
    await reportTransaction(deps, { customerId, actionId: id, txHash });
    const steps = await submittedSteps(deps, chain.chainId, {});
    const [reported, ...others] = steps.filter(({ actionId }) => actionId === id);
    expect([reported?.kind, others]).toEqual(['WITHDRAW', []]);
    const receipt = await deps.rpc.client(chain.chainId).getTransactionReceipt({ hash: txHash });
    await confirmOrFailSafeCall(deps, reported!, receipt);
    expect(await received(id)).toBe((AMOUNT - FEE).toString());
  });

  it('brings what the fee leaves, in transactions of their own', async () => {
    const { id, calls } = await withdrawal();
    for (const call of calls) await execute(executionOf(call, 0, owner.account.address));
    expect(await received(id)).toBe((AMOUNT - FEE).toString());
  });
});
