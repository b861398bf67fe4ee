import { randomBytes, randomUUID } from 'node:crypto';
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
import { expireActions } from '../../src/actions/state/expire-actions';
import { listActions } from '../../src/actions/list-actions';
import { claimDeployments } from '../../src/actions/deployments/claim-deployments';
import { deployAccount, type DeployDeps } from '../../src/actions/deployments/deploy-account';
import { readSmartAccount } from '../../src/actions/deployments/read-smart-account';
import { createDeploymentRequester, MAX_OPEN_DEPLOYMENTS } from '../../src/actions/deployments/request-deployment';
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

/** Deployments of a customer that were due some seconds ago. */
async function insertDue(
  customerId: CustomerId,
  count: number,
  seconds: number,
  { chainId = CHAIN } = {},
): Promise<void> {
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, index) => {
    const address = `0x${randomBytes(20).toString('hex')}`;
    return {
      id: randomUUID(),
      row: { customerId, chainId: BigInt(chainId), address },
      nextAt: new Date(now - seconds * 1000 + index),
    };
  });
  await test.database.smartAccount.createMany({ data: rows.map(({ row }) => ({ ...row, owner: row.address })) });
  await test.database.action.createMany({
    data: rows.map(({ id, row: { address } }) => ({
      id,
      customerId,
      type: 'SMART_ACCOUNT_DEPLOYMENT',
      originAddress: address,
      receiverAddress: address,
      chainIdIn: chainId,
      chainIdOut: chainId,
      tokenIn: {},
      tokenOut: {},
      amountIn: 0,
      amountOut: 0,
      minAmountOut: 0,
      fees: {},
      expiresAt: new Date(now + 3_600_000),
    })),
  });
  await test.database.smartAccountDeployment.createMany({
    data: rows.map(({ id, row, nextAt }) => ({ ...row, actionId: id, nextAt })),
  });
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
  });

  it('is left to a user operation of one customer by the deployments that others requested', async () => {
    const [one, other, owner] = [newCustomer(), newCustomer(), newOwner()];
    const { address } = await create(other, owner);
    const key = { customerId: one, chainId: CHAIN, address };
    expect(await reserveDeployment(test, key)).toBe(true);
    expect(await claimDeployments(deployDeps(), 10)).toEqual([]);
    await test.database.$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now()`;
    expect(await claimDeployments(deployDeps(), 10)).toHaveLength(1);
    expect(await reserveDeployment(test, key)).toBe(false);
    // No customer delays the deployments of others for long.
    await test.database.$executeRaw`
      UPDATE "SmartAccountDeployment" SET "leasedUntil" = NULL, "createdAt" = now() - interval '2 hours'`;
    expect(await reserveDeployment(test, key)).toBe(true);
    expect(await claimDeployments(deployDeps(), 10)).toHaveLength(1);
  });

  it('is claimed in turns between customers, however many deployments one of them has', async () => {
    const [many, one] = [newCustomer(), newCustomer()];
    await insertDue(many, 600, 3600);
    await insertDue(one, 1, 60);
    const claimed = await claimDeployments(deployDeps(), 4);
    expect(claimed.map(({ customerId }) => customerId).sort()).toEqual([many, many, many, one].sort());
    // The deployments that run count as turns, also where one place becomes free at a time.
    await insertDue(one, 1, 30);
    expect((await claimDeployments(deployDeps(), 1)).map(({ customerId }) => customerId)).toEqual([one]);
  });

  it('waits where gas costs too much for one, while those of its customer on other chains go on', async () => {
    const customerId = newCustomer();
    const { address } = await create(customerId, newOwner());
    await insertDue(customerId, 1, 0, { chainId: 1 });
    await insertDue(customerId, 1, 0, { chainId: CHAIN });
    const dueAfter = async (unsent: 'unaffordable' | 'exhausted' | 'busy') => {
      await test.database.$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now(), "leasedUntil" = NULL`;
      const claimed = (await claimDeployments(deployDeps(), 10)).find((each) => each.address === address);
      await test.database.$executeRaw`
        UPDATE "SmartAccountDeployment" SET "leasedUntil" = NULL WHERE address <> ${address}`;
      const unsending: ServiceWallet = { ...wallet, send: () => Promise.resolve(unsent) };
      await deployAccount(deployDeps({ serviceWallet: unsending }), claimed!, signal);
      const due = await test.database.$queryRaw<{ chainId: bigint }[]>`
        SELECT "chainId" FROM "SmartAccountDeployment" WHERE "nextAt" <= now()`;
      return due.map(({ chainId }) => chainId);
    };
    expect(await dueAfter('unaffordable')).toEqual([1n]);
    expect(await dueAfter('busy')).toEqual([1n]);
    expect(await dueAfter('exhausted')).toEqual([]);
  });

  it('is not requested above the limits of its customer, and the account is created all the same', async () => {
    const [full, customerId] = [newCustomer(), newCustomer()];
    await insertDue(full, MAX_OPEN_DEPLOYMENTS, 0);
    const unrequested = await create(full, newOwner());
    expect((await statusOf(full, unrequested.address)).deployment).toBeNull();
    await test.database.customer.create({ data: { id: customerId, name: 'small', limits: { openActions: 1 } } });
    const first = await create(customerId, newOwner());
    expect((await statusOf(customerId, first.address)).deployment?.state).toBe('WAITING');
    const second = await create(customerId, newOwner());
    expect((await statusOf(customerId, second.address)).deployment).toBeNull();
  });

  it('is pending once the chain has its transaction, not as soon as it is sent, and does not expire meanwhile', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    await create(customerId, owner);
    const status = async () => (await actionOf(customerId, owner))[0]?.status;
    await callNode('evm_setAutomine', [false]);
    try {
      const deps = deployDeps();
      for (const claimed of await claimDeployments(deps, 10)) await deployAccount(deps, claimed, signal);
      expect([await sentCount(), await status()]).toEqual([1, 'INITIAL']);
      await test.database.action.updateMany({ data: { expiresAt: new Date(0) } });
      expect(await expireActions({ database: test.database })).toBe(0);
      await callNode('evm_mine', []);
      await test.database.$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now()`;
      for (const claimed of await claimDeployments(deps, 10)) await deployAccount(deps, claimed, signal);
      expect(await status()).toBe('PENDING');
    } finally {
      await callNode('evm_setAutomine', [true]);
    }
    await runPasses(3);
    expect(await status()).toBe('SUCCESS');
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
