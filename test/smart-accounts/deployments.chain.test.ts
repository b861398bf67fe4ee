import { parseAbi } from 'viem';
import { newCustomer } from '../actions/sample-action';
import { rpcOf } from '../contract/local-swaps';
import { until } from '../resilience/until';
import { chainNamed, haltBlocks } from '../setup/universe-of-tests';
import { CHAIN, deploymentWorld, newOwner } from './deployment-world';
import { sendCall, walletOn } from './local-operations';
import type { ServiceWallet } from '../../src/rpc/service-wallet';
import { smartAccountCreator } from '../../src/smart-accounts/create-smart-account';
import { deriveSafeAccount } from '../../src/smart-accounts/safe-account';
import { expireActions } from '../../src/actions/state/expire-actions';
import { claimDeployments } from '../../src/actions/deployments/claim-deployments';
import { deployAccount } from '../../src/actions/deployments/deploy-account';
import { startDeployments } from '../../src/actions/deployments/start-deployments';

const world = deploymentWorld();
const { accountDeps, actionOf, callNode, create, deployDeps, devnet, runPasses, sentCount, statusOf } = world;
const { signal } = new AbortController();

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
    expect(await world.database.smartAccount.count({ where: { customerId } })).toBe(1);
    expect(await world.database.smartAccountDeployment.count({ where: { customerId } })).toBe(1);
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
    expect(await world.database.action.count({ where: { customerId } })).toBe(1);
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
    const stranger = walletOn(chainNamed(world.universe, 'devnet'), world.universe.accounts[5]!);
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
      ...world.wallet,
      async send(request) {
        await world.wallet.send(request);
        await world.database
          .$executeRaw`UPDATE "SmartAccountDeployment" SET "leasedUntil" = now() - interval '1 second'`;
        throw new Error('the process ended');
      },
    };
    await deployAccount(deployDeps({ serviceWallet: crashing }), claimed!, signal);
    expect((await statusOf(customerId, address)).deployment?.state).toBe('SENDING');
    await runPasses(4);
    expect([await sentCount(), (await statusOf(customerId, address)).deployment?.state]).toEqual([1, 'DEPLOYED']);
  });

  it('fails once its time is over, and a later request repeats it with a new action', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const unfunded: ServiceWallet = { ...world.wallet, send: () => Promise.resolve('unfunded') };
    await runPasses(1, deployDeps({ serviceWallet: unfunded }));
    await world.database.action.updateMany({ data: { expiresAt: new Date(0) } });
    await runPasses(1, deployDeps({ serviceWallet: unfunded }));
    expect((await statusOf(customerId, address)).deployment?.state).toBe('FAILED');
    expect((await actionOf(customerId, owner))[0]).toMatchObject({
      status: 'FAILED',
      failureReason: expect.stringContaining('native coin'),
    });
    await create(customerId, owner);
    expect((await statusOf(customerId, address)).deployment?.state).toBe('FAILED'); // not at once
    await world.database.smartAccountDeployment.updateMany({ data: { finishedAt: new Date(0) } });
    await create(customerId, owner);
    await runPasses(4);
    expect((await statusOf(customerId, address)).deployment?.state).toBe('DEPLOYED');
    expect((await actionOf(customerId, owner)).map(({ status }) => status)).toEqual(['SUCCESS', 'FAILED']);
  });

  it('fails when the factory refuses it again and again', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const refusing: ServiceWallet = { ...world.wallet, send: () => Promise.resolve('refused') };
    await runPasses(5, deployDeps({ serviceWallet: refusing }));
    expect((await statusOf(customerId, address)).deployment?.state).toBe('FAILED');
  });

  it('fails once its time is over on a chain that stays unavailable', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    await world.database.action.updateMany({ data: { expiresAt: new Date(0) } });
    const down = rpcOf(world.universe.chains.map((chain) => ({ ...chain, rpcUrl: 'http://127.0.0.1:1' })));
    await runPasses(6, deployDeps({ rpc: down }));
    expect((await statusOf(customerId, address)).deployment?.state).toBe('FAILED');
    expect((await actionOf(customerId, owner))[0]?.status).toBe('FAILED');
  });

  it('is pending once the chain has its transaction, not as soon as it is sent, and does not expire meanwhile', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    await create(customerId, owner);
    const status = async () => (await actionOf(customerId, owner))[0]?.status;
    const resumeBlocks = await haltBlocks(chainNamed(world.universe, 'devnet'));
    await callNode('evm_setAutomine', [false]);
    try {
      const deps = deployDeps();
      for (const claimed of await claimDeployments(deps, 10)) await deployAccount(deps, claimed, signal);
      expect([await sentCount(), await status()]).toEqual([1, 'INITIAL']);
      await world.database.action.updateMany({ data: { expiresAt: new Date(0) } });
      expect(await expireActions({ database: world.database })).toBe(0);
      await callNode('evm_mine', []);
      await world.database.$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now() - interval '1 second'`;
      for (const claimed of await claimDeployments(deps, 10)) await deployAccount(deps, claimed, signal);
      expect(await status()).toBe('PENDING');
    } finally {
      await callNode('evm_setAutomine', [true]);
      await resumeBlocks();
    }
    await runPasses(3);
    expect(await status()).toBe('SUCCESS');
  });

  it('is carried out by the worker until it stops', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const worker = startDeployments(deployDeps({ pollMs: 50 }));
    await until('the account is deployed', async () => {
      await callNode('evm_mine', []);
      return (await statusOf(customerId, address)).deployment?.state === 'DEPLOYED';
    }).finally(() => worker.stop());
    expect((await statusOf(customerId, address)).deployment?.state).toBe('DEPLOYED');
  });
});
