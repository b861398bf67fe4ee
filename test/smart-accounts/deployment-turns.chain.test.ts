import { randomBytes, randomUUID } from 'node:crypto';
import { newCustomer } from '../actions/sample-action';
import { rpcOf } from '../contract/local-swaps';
import { CHAIN, deploymentWorld, newOwner } from './deployment-world';
import type { CustomerId } from '../../src/auth/principal';
import { usd } from '../setup/usd';
import type { ServiceWallet } from '../../src/rpc/service-wallet';
import { reserveDeployment } from '../../src/smart-accounts/reserve-deployment';
import { claimDeployments } from '../../src/actions/deployments/claim-deployments';
import { deployAccount } from '../../src/actions/deployments/deploy-account';
import { MAX_OPEN_DEPLOYMENTS } from '../../src/actions/deployments/request-deployment';

const world = deploymentWorld();
const { create, deployDeps, runPasses, statusOf, walletFor } = world;
const { signal } = new AbortController();

interface Due {
  readonly count: number;
  readonly seconds: number;
  readonly chainId?: number;
}

/** Deployments of a customer that were due some seconds ago. */
async function insertDue(customerId: CustomerId, { count, seconds, chainId = CHAIN }: Due): Promise<void> {
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, index) => {
    const address = `0x${randomBytes(20).toString('hex')}`;
    return {
      id: randomUUID(),
      row: { customerId, chainId: BigInt(chainId), address },
      nextAt: new Date(now - seconds * 1000 + index),
    };
  });
  await world.database.smartAccount.createMany({ data: rows.map(({ row }) => ({ ...row, owner: row.address })) });
  await world.database.action.createMany({
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
  await world.database.smartAccountDeployment.createMany({
    data: rows.map(({ id, row, nextAt }) => ({ ...row, actionId: id, nextAt })),
  });
}

describe('the deployment of a smart account among others', () => {
  it('waits, and sends nothing, above the budget of its customer; that of another customer goes on', async () => {
    const [poor, rich] = [newCustomer(), newCustomer()];
    await world.database.customer.create({ data: { id: rich, name: 'rich', limits: { deploymentGasUsd: 100_000 } } });
    const [waiting, deployed] = [await create(poor, newOwner()), await create(rich, newOwner())];
    const expensive = walletFor({ deploymentGasUsd: 1 }, 1_000_000);
    await runPasses(4, deployDeps({ serviceWallet: expensive, maxGasUsd: usd('1000000') }));
    expect((await statusOf(poor, waiting.address)).deployment).toMatchObject({
      state: 'WAITING',
      lastFailure: expect.stringContaining('budget'),
    });
    expect((await statusOf(rich, deployed.address)).deployment?.state).toBe('DEPLOYED');
  });

  it('is postponed while its chain is unavailable, and others are not affected', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const down = rpcOf(world.universe.chains.map((chain) => ({ ...chain, rpcUrl: 'http://127.0.0.1:1' })));
    await runPasses(1, deployDeps({ rpc: down }));
    expect((await statusOf(customerId, address)).deployment).toMatchObject({
      state: 'WAITING',
      lastFailure: expect.stringContaining('unavailable'),
    });
    await runPasses(4);
    expect((await statusOf(customerId, address)).deployment?.state).toBe('DEPLOYED');
  });

  it('is left to a user operation that was built for the account, unless it is sent already', async () => {
    const [customerId, owner] = [newCustomer(), newOwner()];
    const { address } = await create(customerId, owner);
    const key = { customerId, chainId: CHAIN, address };
    expect(await reserveDeployment(world, key)).toBe(true);
    expect(await claimDeployments(deployDeps(), 10)).toEqual([]);
    await world.database.$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now() - interval '1 second'`;
    await claimDeployments(deployDeps(), 10);
    expect(await reserveDeployment(world, key)).toBe(false);
  });

  it('is left to a user operation of one customer by the deployments that others requested', async () => {
    const [one, other, owner] = [newCustomer(), newCustomer(), newOwner()];
    const { address } = await create(other, owner);
    const key = { customerId: one, chainId: CHAIN, address };
    expect(await reserveDeployment(world, key)).toBe(true);
    expect(await claimDeployments(deployDeps(), 10)).toEqual([]);
    await world.database.$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now() - interval '1 second'`;
    expect(await claimDeployments(deployDeps(), 10)).toHaveLength(1);
    expect(await reserveDeployment(world, key)).toBe(false);
    // No customer delays the deployments of others for long.
    await world.database.$executeRaw`
      UPDATE "SmartAccountDeployment" SET "leasedUntil" = NULL, "createdAt" = now() - interval '2 hours'`;
    expect(await reserveDeployment(world, key)).toBe(true);
    expect(await claimDeployments(deployDeps(), 10)).toHaveLength(1);
  });

  it('is claimed in turns between customers, however many deployments one of them has', async () => {
    const [many, one] = [newCustomer(), newCustomer()];
    await insertDue(many, { count: 600, seconds: 3600 });
    await insertDue(one, { count: 1, seconds: 60 });
    const claimed = await claimDeployments(deployDeps(), 4);
    expect(claimed.map(({ customerId }) => customerId).sort()).toEqual([many, many, many, one].sort());
    // The deployments that run count as turns, also where one place becomes free at a time.
    await insertDue(one, { count: 1, seconds: 30 });
    expect((await claimDeployments(deployDeps(), 1)).map(({ customerId }) => customerId)).toEqual([one]);
  });

  it('waits where gas costs too much for one, while those of its customer on other chains go on', async () => {
    const customerId = newCustomer();
    const { address } = await create(customerId, newOwner());
    await insertDue(customerId, { count: 1, seconds: 0, chainId: 1 });
    await insertDue(customerId, { count: 1, seconds: 0, chainId: CHAIN });
    const dueAfter = async (unsent: 'unaffordable' | 'exhausted' | 'busy') => {
      await world.database
        .$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now() - interval '1 second', "leasedUntil" = NULL`;
      const claimed = (await claimDeployments(deployDeps(), 10)).find((each) => each.address === address);
      await world.database.$executeRaw`
        UPDATE "SmartAccountDeployment" SET "leasedUntil" = NULL WHERE address <> ${address}`;
      const unsending: ServiceWallet = { ...world.wallet, send: () => Promise.resolve(unsent) };
      await deployAccount(deployDeps({ serviceWallet: unsending }), claimed!, signal);
      const due = await world.database.$queryRaw<{ chainId: bigint }[]>`
        SELECT "chainId" FROM "SmartAccountDeployment" WHERE "nextAt" <= now()`;
      return due.map(({ chainId }) => chainId);
    };
    expect(await dueAfter('unaffordable')).toEqual([1n]);
    expect(await dueAfter('busy')).toEqual([1n]);
    expect(await dueAfter('exhausted')).toEqual([]);
  });

  it('is not requested above the limits of its customer, and the account is created all the same', async () => {
    const [full, customerId] = [newCustomer(), newCustomer()];
    await insertDue(full, { count: MAX_OPEN_DEPLOYMENTS, seconds: 0 });
    const unrequested = await create(full, newOwner());
    expect((await statusOf(full, unrequested.address)).deployment).toBeNull();
    await world.database.customer.create({ data: { id: customerId, name: 'small', limits: { openActions: 1 } } });
    const first = await create(customerId, newOwner());
    expect((await statusOf(customerId, first.address)).deployment?.state).toBe('WAITING');
    const second = await create(customerId, newOwner());
    expect((await statusOf(customerId, second.address)).deployment).toBeNull();
  });
});
