import { randomUUID } from 'node:crypto';
import { createWalletClient, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { asChain } from '../../test/contract/local-swaps';
import { rpcOf } from '../../test/actions/local-tracker';
import { newCustomer } from '../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { type TestUniverse, universeOfTests } from '../../test/setup/universe-of-tests';
import { sleep } from '../async/sleep';
import { createChainTable } from '../chains/chain-table';
import { createHeadReader } from '../rpc/head-reader';
import { ledgerStates } from './ledger-states';
import { requestWatches } from './watch-wallets';
import { startLedger } from './start-ledger';
import { until as untilTrue } from '../../test/resilience/until';

let test: TestDatabase;
let universe: TestUniverse;
beforeAll(async () => {
  [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
});
afterAll(() => test.drop());

const until = (condition: () => boolean | Promise<boolean>): Promise<void> =>
  untilTrue('the ledger has read the chain', condition);

const openLedger = (isIndexed = true) => {
  const chain = asChain(universe.chains[0]!);
  const rpc = rpcOf(chain, universe.chains[0]!.rpcUrl);
  return startLedger({
    database: test.database,
    rpc,
    chains: createChainTable([chain]),
    heads: createHeadReader({ rpc, maxAgeMs: 50 }),
    log: { info: () => undefined, warn: () => undefined },
    replicaId: randomUUID(),
    watch: { maxWatchedWallets: 10 },
    backfillBlocks: 0,
    leaseSeconds: 2,
    pollMs: 50,
    isIndexed: () => isIndexed,
  });
};

it('a transfer on a chain appears in the movements of its receiver, also after a restart', async () => {
  const { rpcUrl, chainId } = universe.chains[0]!;
  const [sender, receiver] = [universe.accounts[0]!, newReceiver()];
  const token = asChain(universe.chains[0]!).tokens.find(({ symbol }) => symbol === 'USDC')!;
  const client = createWalletClient({ account: privateKeyToAccount(sender.privateKey), transport: http(rpcUrl) });
  const send = (amount: bigint) =>
    client.writeContract({
      chain: null,
      address: token.address as `0x${string}`,
      abi: erc20Abi,
      functionName: 'transfer',
      args: [receiver, amount],
    });
  const customerId = newCustomer();
  await test.database.customerWallet.create({ data: { customerId, address: receiver } });
  await requestWatches(test.database, { customerId, addresses: [receiver] });
  const first = openLedger();
  await until(async () => (await test.database.indexCursor.count()) > 0);
  await send(5n);
  await until(async () => (await test.database.ledgerEntry.count()) === 1);
  await first.stop();
  await send(7n);
  const second = openLedger();
  await until(async () => (await test.database.ledgerEntry.count()) === 2);
  await second.stop();
  const entries = await test.database.ledgerEntry.findMany({ orderBy: { blockNumber: 'asc' } });
  expect(entries.map(({ amount, kind, counterparty }) => [amount.toFixed(0), kind, counterparty])).toEqual([
    ['5', 'transferIn', sender.address.toLowerCase()],
    ['7', 'transferIn', sender.address.toLowerCase()],
  ]);
  expect(await ledgerStates(test.pool)).toMatchObject([{ chainId, quarantined: 0 }]);
});

it('a chain that is switched off is neither read nor recorded', async () => {
  await test.database.indexCursor.deleteMany();
  const ledger = openLedger(false);
  await sleep(300);
  await ledger.stop();
  expect(await test.database.indexCursor.count()).toBe(0);
});

it('no wallet is watched while every chain is switched off', async () => {
  const [customerId, address] = [newCustomer(), newReceiver()];
  await test.database.customerWallet.create({ data: { customerId, address } });
  await requestWatches(test.database, { customerId, addresses: [address] });
  const ledger = openLedger(false);
  await sleep(300);
  await ledger.stop();
  expect(await test.database.walletWatch.count({ where: { customerId } })).toBe(0);
});

function newReceiver(): `0x${string}` {
  return privateKeyToAccount(`0x${randomUUID().replaceAll('-', '').repeat(2)}`).address;
}
