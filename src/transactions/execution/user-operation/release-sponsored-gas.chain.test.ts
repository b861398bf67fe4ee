import { encodeFunctionData, multicall3Abi, parseEther } from 'viem';
import { asChain } from '../../../../test/contract/local-swaps';
import type { TestDatabase } from '../../../../test/setup/test-database';
import {
  type AccountWorld,
  openAccountWorld,
  buildAccountOperation,
  newUndeployedAccount,
  transferCall,
} from '../../../../test/smart-accounts/local-accounts';
import { encodeBundle, sendCall, signUserOperation } from '../../../../test/smart-accounts/local-operations';
import { createChainTable } from '../../../chains/chain-table';
import { uuidV7 } from '../../../persistence/uuid-v7';
import { MULTICALL3 } from '../../../rpc/multicall';
import { releaseSponsoredGas } from './release-sponsored-gas';

let world: AccountWorld;
let test: TestDatabase;
beforeAll(async () => {
  ({ test, world } = await openAccountWorld(7));
});
afterAll(() => test.drop());

/** A sponsored operation of a new action. */
async function sponsor() {
  const { address, owner } = await newUndeployedAccount(world, { USDC: 100n });
  const actionId = uuidV7();
  const calls = [transferCall(world, address, ['USDC', 1n])];
  const { userOperation } = await buildAccountOperation(world, { account: address, calls, sponsored: true, actionId });
  return { actionId, signed: await signUserOperation(userOperation, owner) };
}

const stateOf = async (id: string) => {
  const { releasedAt, spentAt } = await test.database.gasSpending.findUniqueOrThrow({ where: { id } });
  return { isReleased: releasedAt !== null, isSpent: spentAt !== null };
};

it('releases the gas of an unused operation, and not of one that another contract sent to the EntryPoint', async () => {
  const [unused, used] = [await sponsor(), await sponsor()];
  const { entryPoint } = used.signed;
  const bundle = encodeBundle([used.signed], world.wallet.account.address);
  const calls = [{ target: entryPoint, allowFailure: false, callData: bundle }];
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  expect(await sendCall(world.wallet, { to: MULTICALL3, data })).toMatchObject({
    status: 'success',
    to: MULTICALL3.toLowerCase(),
  });
  const { confirmations } = asChain(world.chain);
  const { address } = world.wallet.account;
  for (let mined = 0; mined <= confirmations; mined += 1)
    await sendCall(world.wallet, { to: address, value: parseEther('0.000001') });
  await test.database.gasSpending.updateMany({ data: { validUntil: new Date(Date.now() - 3_600_000) } });
  const chains = createChainTable([asChain(world.chain)]);
  const log = { warn: jest.fn() };
  await releaseSponsoredGas({ ...world, chains, log }, new AbortController().signal);
  expect(log.warn).not.toHaveBeenCalled();
  expect(await stateOf(unused.actionId)).toEqual({ isReleased: true, isSpent: false });
  expect(await stateOf(used.actionId)).toEqual({ isReleased: false, isSpent: true });
});
