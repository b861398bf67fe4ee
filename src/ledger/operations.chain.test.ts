import { randomUUID } from 'node:crypto';
import { type Address, encodeFunctionData, erc20Abi, parseEther, parseUnits } from 'viem';
import { rpcOf } from '../../test/actions/local-tracker';
import { newCustomer } from '../../test/actions/sample-action';
import { batchOf, executionOf } from '../../test/actions/scripted-safe';
import { asChain, localToken } from '../../test/contract/local-swaps';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { chainNamed, universeOfTests } from '../../test/setup/universe-of-tests';
import {
  accountWorld,
  type AccountWorld,
  buildAccountOperation,
  GAS_MONEY,
  newUndeployedAccount,
  quoteAccountSwap,
} from '../../test/smart-accounts/local-accounts';
import { fund, sendBundle, sendCall, signUserOperation, walletOn } from '../../test/smart-accounts/local-operations';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createChainTable } from '../chains/chain-table';
import { readHead } from '../rpc/head-reader';
import { deriveSafeAccount } from '../smart-accounts/safe-account';
import { SAFE } from '../smart-accounts/safe-contracts';
import { listMovements } from './list-movements';
import type { MovementView } from './movement-view';
import { type ChainLedger, createChainLedger } from './run-ledger-pass';
import { requestWatches, watchWallets } from './watch-wallets';

const RECEIVER: Address = '0x00000000000000000000000000000000000A11cE';
const { signal } = new AbortController();

let test: TestDatabase;
let world: AccountWorld;
let ledger: ChainLedger;
const customerId = newCustomer();
beforeAll(async () => {
  const universe = await universeOfTests();
  test = await createTestDatabase();
  const chain = chainNamed(universe, 'devnet');
  world = accountWorld(test, { chain, wallet: walletOn(chain, universe.accounts[6]!) });
  ledger = createChainLedger(depsOf(), chain.chainId);
});
afterAll(() => test.drop());

function depsOf() {
  const chain = asChain(world.chain);
  const rpc = rpcOf(chain, world.chain.rpcUrl);
  return {
    database: test.database,
    rpc,
    chains: createChainTable([chain]),
    heads: { read: (chainId: number) => readHead(rpc.client(chainId)) },
    log: { info: () => undefined, warn: () => undefined },
    replicaId: randomUUID(),
    watch: { maxWatchedWallets: 10 },
    backfillBlocks: 0,
    isIndexed: () => true,
  };
}

async function watch(address: Address): Promise<void> {
  await test.database.customerWallet.createMany({ data: [{ customerId, address }], skipDuplicates: true });
  await requestWatches(test.database, { customerId, addresses: [address] });
  await watchWallets(depsOf());
  await ledger.pass(signal);
}

/** What the wallet moved since it was watched, the oldest first. */
async function movementsOf(address: Address): Promise<readonly MovementView[]> {
  while ((await ledger.pass(signal)) === 'behind');
  const [page] = await listMovements(depsOf(), { customerId, addresses: [address], filter: { first: 100 } });
  return [...page!.nodes].reverse();
}
const summary = ({ kind, token, operation }: MovementView) => [kind, token, operation];

it('transactions and batches of a Safe appear in its movements, with their hashes', async () => {
  const owner = walletOn(world.chain, keyed());
  await fund(world, { account: owner.account.address, symbol: 'ETH', amount: parseEther('1') });
  const safe = await deriveSafeAccount(owner.account.address);
  await sendCall(owner, { to: safe.factory, data: safe.factoryData });
  await watch(safe.address);
  await fund(world, { account: safe.address, symbol: 'USDC', amount: parseUnits('9', 6) });
  await fund(world, { account: safe.address, symbol: 'ETH', amount: 7n });
  const usdc = localToken(world.chain, 'USDC').address as Address;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [RECEIVER, 1n] });
  const call = { to: usdc, data };
  const batch = { to: SAFE.multiSendCallOnly, data: batchOf([call, call]) };
  for (const execution of [executionOf(call, 0, owner.account.address), executionOf(batch, 1, owner.account.address)]) {
    await sendCall(owner, { to: safe.address, data: execution, gas: 600_000n });
  }
  const movements = await movementsOf(safe.address);
  expect(movements.map(summary)).toEqual([
    ['transferIn', usdc, null],
    ['transferIn', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', null],
    ['transferOut', usdc, 'safe'],
    ['transferOut', usdc, 'safeBatch'],
    ['transferOut', usdc, 'safeBatch'],
  ]);
  const [single, first, second] = movements.slice(2).map(({ operationHash }) => operationHash);
  expect(first).toMatch(/^0x[0-9a-f]{64}$/);
  expect([second, single === first]).toEqual([first, false]);
});

it('a swap in a user operation appears in the movements of its account, with its hash', async () => {
  const amount = parseUnits('25', 6);
  const account = await newUndeployedAccount(world, { USDC: amount, ETH: GAS_MONEY });
  await watch(account.address);
  const { calls } = await quoteAccountSwap(world, { account: account.address, pair: ['USDC', 'BRLA'], amount });
  const { userOperation } = await buildAccountOperation(world, { account: account.address, calls: [...calls] });
  const { transactionHash } = await sendBundle(world.wallet, [await signUserOperation(userOperation, account.owner)]);
  const movements = (await movementsOf(account.address)).filter(({ txHash }) => txHash === transactionHash);
  expect(new Set(movements.map(({ kind }) => kind))).toEqual(new Set(['transferIn', 'transferOut']));
  for (const movement of movements) {
    expect(movement).toMatchObject({ operation: 'userOperation', operationHash: userOperation.userOperationHash });
  }
});

function keyed() {
  const privateKey = generatePrivateKey();
  return { privateKey, address: privateKeyToAccount(privateKey).address };
}
