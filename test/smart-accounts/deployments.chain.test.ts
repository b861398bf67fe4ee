import { type Address, createPublicClient, http, parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { newCustomer } from '../actions/sample-action';
import { asChain, rpcOf } from '../contract/local-swaps';
import { gasPricer, serviceTransactionStore } from '../setup/gas';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { sendCall, walletOn } from './local-operations';
import { createJsonRpc } from '../../devnet/json-rpc';
import { SERVICE_WALLET_KEY } from '../../devnet/service-wallet';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { usd } from '../setup/usd';
import { createServiceWallet, type ServiceWallet } from '../../src/rpc/service-wallet';
import {
  createSmartAccount,
  type CreateSmartAccountDeps,
  smartAccountCreator,
} from '../../src/smart-accounts/create-smart-account';
import { reserveDeployment } from '../../src/smart-accounts/reserve-deployment';
import { deriveSafeAccount } from '../../src/smart-accounts/safe-account';
import { createActionStarter } from '../../src/actions/start-action';
import { listActions } from '../../src/actions/list-actions';
import { claimDeployments } from '../../src/actions/deployments/claim-deployments';
import { deployAccount, type DeployDeps } from '../../src/actions/deployments/deploy-account';
import { readSmartAccount } from '../../src/actions/deployments/read-smart-account';
import { createDeploymentRequester } from '../../src/actions/deployments/request-deployment';
import { startDeployments } from '../../src/actions/deployments/start-deployments';

const CHAIN = 31337;
const OPEN = { openActions: 1000, openDrafts: 1000, openDeliveries: 1000 };
const { signal } = new AbortController();

let test: TestDatabase;
let universe: TestUniverse;
let wallet: ServiceWallet;
beforeAll(async () => {
  universe = await universeOfTests();
});
beforeEach(async () => {
  test = await createTestDatabase();
  wallet = walletFor();
});
afterEach(() => test.drop());

const rpc = () => rpcOf(universe.chains);
const chains = () => createChainTable(universe.chains.map(asChain));
const log = { warn: () => undefined };
const walletFor = (limits: Parameters<typeof serviceTransactionStore>[1] = {}, coinUsd = 3000) =>
  createServiceWallet({
    key: SERVICE_WALLET_KEY,
    rpc: rpc(),
    store: serviceTransactionStore(test.database, limits),
    priceGas: gasPricer(coinUsd),
    log,
  });
const deployDeps = (changes: Partial<DeployDeps> = {}): DeployDeps => ({
  database: test.database,
  rpc: rpc(),
  chains: chains(),
  serviceWallet: wallet,
  maxGasUsd: usd('1000'),
  log,
  pollMs: 0,
  ...changes,
});
const accountDeps = (changes: Partial<CreateSmartAccountDeps> = {}): CreateSmartAccountDeps => ({
  database: test.database,
  rpc: rpc(),
  chains: chains(),
  blockedAddresses: new Set(),
  deployments: createDeploymentRequester({
    database: test.database,
    chains: chains(),
    ...createActionStarter({ database: test.database, limits: OPEN }),
  }),
  ...changes,
});
const newOwner = () => privateKeyToAddress(generatePrivateKey());
const create = (customerId: CustomerId, owner: Address, changes: Partial<CreateSmartAccountDeps> = {}) =>
  createSmartAccount(accountDeps(changes), { customerId, owner, chainId: CHAIN, signal });
const devnet = () => createPublicClient({ transport: http(chainNamed(universe, 'devnet').rpcUrl) });

const callNode = (method: string, parameters: readonly unknown[]): Promise<unknown> =>
  createJsonRpc(chainNamed(universe, 'devnet').rpcUrl).call(method, parameters);

/** Carries on all open deployments, one pass after the other. */
async function runPasses(passes: number, deps = deployDeps()): Promise<void> {
  for (let pass = 0; pass < passes; pass += 1) {
    await test.database.$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now() WHERE "finishedAt" IS NULL`;
    for (const claimed of await claimDeployments(deps, 10)) await deployAccount(deps, claimed, signal);
    await callNode('evm_mine', []);
  }
}

const statusOf = (customerId: CustomerId, address: Address) =>
  readSmartAccount({ database: test.database }, { customerId, chainId: CHAIN, address });
const sentCount = () => test.database.serviceTransaction.count();
const actionOf = async (customerId: CustomerId, owner: Address) => {
  const { data } = await listActions(
    { database: test.database, chains: chains(), blockedAddresses: new Set() },
    { customerId, walletAddress: owner },
  );
  return data;
};

const safe = parseAbi(['function getOwners() view returns (address[])', 'function VERSION() view returns (string)']);

describe('the deployment of a smart account by the service', () => {
  it('is one for a hundred parallel requests to several replicas, and the deployed code responds at the promised address', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const replicas = Array.from({ length: 4 }, () => smartAccountCreator(accountDeps()));
    const requests = replicas.flatMap((request) => Array.from({ length: 25 }, () => request));
    const accounts = await Promise.all(
      requests.map((request) => request({ customerId, owner, chainId: CHAIN, signal })),
    );
    const { address } = await deriveSafeAccount(owner);
    expect(new Set(accounts.map((account) => account.address))).toEqual(new Set([address]));
    expect(await test.database.smartAccount.count({ where: { customerId } })).toBe(1);
    expect(await test.database.smartAccountDeployment.count({ where: { customerId } })).toBe(1);
    const [action, ...others] = await actionOf(customerId, owner);
    expect([action?.type, action?.status, others]).toEqual(['SMART_ACCOUNT_DEPLOYMENT', 'INITIAL', []]);
    await runPasses(4);
    expect(await sentCount()).toBe(1);
    const client = devnet();
    expect(await client.readContract({ address, abi: safe, functionName: 'getOwners' })).toEqual([owner]);
    expect(await client.readContract({ address, abi: safe, functionName: 'VERSION' })).toBe('1.4.1');
    const { deployment } = await statusOf(customerId, address);
    expect(deployment).toMatchObject({ state: 'DEPLOYED', actionId: action!.id, lastFailure: null });
    const [done] = await actionOf(customerId, owner);
    expect(done).toMatchObject({
      status: 'SUCCESS',
      amounts: {
        assetIn: null,
        assetOut: null,
        breakdown: [{ type: 'DEPLOYMENT', description: expect.stringContaining('Deploy the smart account on') }],
      },
      transactions: [{ txHash: deployment!.txHash, status: 'SUCCESS' }],
      steps: [{ txHash: deployment!.txHash, status: 'CONFIRMED', legs: [{ kind: 'DEPLOYMENT', operator: 'SERVICE' }] }],
    });
    // A request for a deployed account changes nothing.
    await create(customerId, owner);
    expect(await test.database.action.count({ where: { customerId } })).toBe(1);
  });

  it('is one for several customers with the same owner, and each has an action', async () => {
    const [one, other, owner] = [newCustomer(), newCustomer(), newOwner()];
    const { address } = await create(one, owner);
    await create(other, owner);
    const deps = deployDeps();
    const claimed = await claimDeployments(deps, 10);
    expect(claimed).toHaveLength(2);
    await Promise.all(claimed.map((each) => deployAccount(deps, each, signal)));
    await runPasses(4);
    expect(await sentCount()).toBe(1);
    for (const customerId of [one, other]) {
      expect((await statusOf(customerId, address)).deployment?.state).toBe('DEPLOYED');
      expect((await actionOf(customerId, owner))[0]?.status).toBe('SUCCESS');
    }
  });

  it('succeeds without a transaction when another sender deployed the account', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const { factory, factoryData } = await deriveSafeAccount(owner);
    const stranger = walletOn(chainNamed(universe, 'devnet'), universe.accounts[5]!);
    await sendCall(stranger, { to: factory, data: factoryData });
    await runPasses(3);
    expect(await sentCount()).toBe(0);
    expect((await statusOf(customerId, address)).deployment).toMatchObject({ state: 'DEPLOYED', txHash: null });
    // An account that has code already needs no deployment.
    const late = newCustomer();
    await create(late, owner);
    expect((await statusOf(late, address)).deployment).toBeNull();
  });

  it('goes on in another replica with the same transaction after a crash', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const deps = deployDeps();
    const [claimed] = await claimDeployments(deps, 1);
    expect(await claimDeployments(deps, 1)).toEqual([]);
    const crashing: ServiceWallet = {
      ...wallet,
      async send(request) {
        await wallet.send(request);
        await test.database
          .$executeRaw`UPDATE "SmartAccountDeployment" SET "leasedUntil" = now() - interval '1 second'`;
        throw new Error('the process ended');
      },
    };
    await deployAccount(deployDeps({ serviceWallet: crashing }), claimed!, signal);
    expect((await statusOf(customerId, address)).deployment?.state).toBe('SENDING');
    await runPasses(4);
    expect([await sentCount(), (await statusOf(customerId, address)).deployment?.state]).toEqual([1, 'DEPLOYED']);
  });

  it('waits, and sends nothing, above the budget of its customer; that of another customer goes on', async () => {
    const [poor, rich] = [newCustomer(), newCustomer()];
    await test.database.customer.create({ data: { id: rich, name: 'rich', limits: { deploymentGasUsd: 100_000 } } });
    const [waiting, deployed] = [await create(poor, newOwner()), await create(rich, newOwner())];
    const expensive = walletFor({ deploymentGasUsd: 1 }, 1_000_000);
    await runPasses(4, deployDeps({ serviceWallet: expensive, maxGasUsd: usd('1000000') }));
    expect((await statusOf(poor, waiting.address)).deployment).toMatchObject({
      state: 'WAITING',
      lastFailure: expect.stringContaining('budget'),
    });
    expect((await statusOf(rich, deployed.address)).deployment?.state).toBe('DEPLOYED');
  });

  it('fails once its time is over, and a later request repeats it with a new action', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const unfunded: ServiceWallet = { ...wallet, send: () => Promise.resolve('unfunded') };
    await runPasses(1, deployDeps({ serviceWallet: unfunded }));
    await test.database.action.updateMany({ data: { expiresAt: new Date(0) } });
    await runPasses(1, deployDeps({ serviceWallet: unfunded }));
    expect((await statusOf(customerId, address)).deployment?.state).toBe('FAILED');
    expect((await actionOf(customerId, owner))[0]).toMatchObject({
      status: 'FAILED',
      failureReason: expect.stringContaining('native coin'),
    });
    await create(customerId, owner);
    expect((await statusOf(customerId, address)).deployment?.state).toBe('FAILED'); // not at once
    await test.database.smartAccountDeployment.updateMany({ data: { finishedAt: new Date(0) } });
    await create(customerId, owner);
    await runPasses(4);
    expect((await statusOf(customerId, address)).deployment?.state).toBe('DEPLOYED');
    expect((await actionOf(customerId, owner)).map(({ status }) => status)).toEqual(['SUCCESS', 'FAILED']);
  });

  it('fails when the factory refuses it again and again', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const refusing: ServiceWallet = { ...wallet, send: () => Promise.resolve('refused') };
    await runPasses(5, deployDeps({ serviceWallet: refusing }));
    expect((await statusOf(customerId, address)).deployment?.state).toBe('FAILED');
  });

  it('is postponed while its chain is unavailable, and others are not affected', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const down = rpcOf(universe.chains.map((chain) => ({ ...chain, rpcUrl: 'http://127.0.0.1:1' })));
    await runPasses(1, deployDeps({ rpc: down }));
    expect((await statusOf(customerId, address)).deployment).toMatchObject({
      state: 'WAITING',
      lastFailure: expect.stringContaining('unavailable'),
    });
    await runPasses(4);
    expect((await statusOf(customerId, address)).deployment?.state).toBe('DEPLOYED');
  });

  it('fails once its time is over on a chain that stays unavailable', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    await test.database.action.updateMany({ data: { expiresAt: new Date(0) } });
    const down = rpcOf(universe.chains.map((chain) => ({ ...chain, rpcUrl: 'http://127.0.0.1:1' })));
    await runPasses(6, deployDeps({ rpc: down }));
    expect((await statusOf(customerId, address)).deployment?.state).toBe('FAILED');
    expect((await actionOf(customerId, owner))[0]?.status).toBe('FAILED');
  });

  it('is left to a user operation that was built for the account, unless it is sent already', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const key = { customerId, chainId: CHAIN, address };
    expect(await reserveDeployment(test, key)).toBe(true);
    expect(await claimDeployments(deployDeps(), 10)).toEqual([]);
    await test.database.$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now()`;
    await claimDeployments(deployDeps(), 10);
    expect(await reserveDeployment(test, key)).toBe(false);
    expect(await reserveDeployment(test, { ...key, customerId: newCustomer() })).toBe(true);
  });

  it('is carried out by the worker until it stops', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const worker = startDeployments(deployDeps({ pollMs: 50 }));
    for (let polls = 0; polls < 100; polls += 1) {
      if ((await statusOf(customerId, address)).deployment?.state === 'DEPLOYED') break;
      await callNode('evm_mine', []);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await worker.stop();
    expect((await statusOf(customerId, address)).deployment?.state).toBe('DEPLOYED');
  });
});
