import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPublicClient, createWalletClient, type Hex, http, numberToHex, parseEther, parseGwei } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { BARE_CHAIN_ID, fundedAccounts, type BareChain, startBareChain } from '../../../test/actions/bare-chain';
import { catchUp, trackerOf, trackUntil } from '../../../test/actions/local-tracker';
import type { SampleActionOptions } from '../../../test/actions/sample-action';
import { createSampleAction, historyOf, newCustomer, sampleToken } from '../../../test/actions/sample-action';
import { until } from '../../../test/resilience/until';
import { minedReceipt } from '../../../test/setup/mined-receipt';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { NATIVE_TOKEN } from '../../chains/addresses';
import type { Chain } from '../../chains/chain';
import { toBaseUnits } from '../../money/base-units';
import { runTrackerOnce } from './run-tracker-once';
import { startTrackers } from './start-trackers';
import type { TrackerDeps } from './tracker-deps';

const CHAIN_ID = BARE_CHAIN_ID;
const CONFIRMATIONS = 3;
const chain: Chain = {
  slug: 'bare',
  chainId: CHAIN_ID,
  kind: 'evm',
  name: 'Bare',
  explorer: undefined,
  confirmations: CONFIRMATIONS,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  tokens: [],
};
const { sender: SENDER, other: OTHER } = fundedAccounts();
const ETH = sampleToken('ETH', { chainId: CHAIN_ID, address: NATIVE_TOKEN, decimals: 18 });

let directory: string;
let anvil: BareChain;
let test: TestDatabase;
let deps: TrackerDeps;

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'afluente-tracker-'));
  [anvil, test] = await Promise.all([startBareChain(directory), createTestDatabase()]);
  deps = trackerOf(test.database, chain, anvil.rpcUrl);
});
afterEach(async () => {
  await Promise.all([anvil.stop(), test.drop()]);
  rmSync(directory, { recursive: true, force: true });
});

const mine = (blocks: number) => anvil.rpc.call('anvil_mine', [numberToHex(blocks)]);
const nextRun = () => runTrackerOnce(deps, CHAIN_ID);
const statusOf = async (id: string) => {
  const { status, substatus } = await test.database.action.findUniqueOrThrow({ where: { id } });
  return [status, substatus];
};

/** An action that a transfer of ether from SENDER to OTHER executes; `data` distinguishes two of them. */
const transferAction = (value: bigint, data: Hex = '0x', options: SampleActionOptions = {}) =>
  createSampleAction(test.database, {
    type: 'TRANSFER_OUT',
    chainIdIn: CHAIN_ID,
    chainIdOut: CHAIN_ID,
    tokenIn: ETH,
    tokenOut: ETH,
    value,
    originAddress: SENDER.address,
    receiverAddress: OTHER.address,
    amountIn: toBaseUnits(value),
    amountOut: toBaseUnits(value),
    steps: [{ kind: 'TRANSFER', operator: 'USER', protocol: 'native', chainId: CHAIN_ID }],
    calls: [{ sender: SENDER.address, target: OTHER.address, data }],
    ...options,
  });

/** Sends ether, and returns when it is mined: the node responds before. */
async function send(value: bigint, data: Hex = '0x', fixed: { nonce?: number; gasPrice?: bigint } = {}): Promise<Hex> {
  const transport = http(anvil.rpcUrl);
  const wallet = createWalletClient({ account: privateKeyToAccount(SENDER.privateKey), transport });
  const [to, gas, gasPrice] = [OTHER.address, 60_000n, parseGwei('3')];
  const hash = await wallet.sendTransaction({ to, value, data, chain: null, gas, gasPrice, ...fixed });
  await minedReceipt(createPublicClient({ transport }), hash);
  return hash;
}

describe('a tracker', () => {
  it('follows a transaction from its first block to its last confirmation', async () => {
    await mine(5);
    expect(await nextRun()).toBe('idle');
    const { id } = await transferAction(7n);
    await nextRun();
    expect(await statusOf(id)).toEqual(['INITIAL', 'WAITING_ORIGIN']);
    const txHash = await send(7n);
    await nextRun();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await mine(CONFIRMATIONS - 1);
    await nextRun();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await mine(1);
    await nextRun();
    expect(await historyOf(test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
    const step = await test.database.actionStep.findFirstOrThrow({ where: { actionId: id } });
    expect(step).toMatchObject({ txHash, status: 'CONFIRMED', blockNumber: 6n });
    expect(await nextRun()).toBe('idle');
  });

  it('reads no blocks of a chain that no action waits for, and misses nothing of the first action', async () => {
    await nextRun();
    await mine(400);
    expect(await nextRun()).toBe('idle');
    expect(await test.database.trackedBlock.count()).toBe(2);
    const { id } = await transferAction(1n);
    await send(1n);
    await mine(CONFIRMATIONS);
    await trackUntil(deps, { actionId: id, chainId: CHAIN_ID, status: 'SUCCESS' });
  });

  it('starts before the head when actions already wait for a chain that was never read', async () => {
    const { id } = await transferAction(1n);
    await send(1n);
    await mine(100);
    await trackUntil(deps, { actionId: id, chainId: CHAIN_ID, status: 'SUCCESS' });
  });

  it('continues where another process stopped', async () => {
    await nextRun();
    const { id } = await transferAction(2n);
    await nextRun();
    await send(2n);
    await mine(200);
    const successor = trackerOf(test.database, chain, anvil.rpcUrl);
    expect(await runTrackerOnce(successor, CHAIN_ID)).toBe('elsewhere');
    await test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });
    expect(await runTrackerOnce(successor, CHAIN_ID)).toBe('behind');
    expect(await nextRun()).toBe('elsewhere');
    await trackUntil(successor, { actionId: id, chainId: CHAIN_ID, status: 'SUCCESS' });
  });

  it('lets a transaction execute one action, the oldest of the customer with its call', async () => {
    await nextRun();
    const customerId = newCustomer();
    const first = await transferAction(3n, '0x', { customerId });
    const second = await transferAction(3n, '0x', { customerId });
    await send(3n);
    await catchUp(deps, CHAIN_ID);
    expect(await statusOf(first.id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    expect(await statusOf(second.id)).toEqual(['INITIAL', 'WAITING_ORIGIN']);
    await send(3n);
    await mine(CONFIRMATIONS);
    await trackUntil(deps, { actionId: second.id, chainId: CHAIN_ID, status: 'SUCCESS' });
    expect((await statusOf(first.id))[0]).toBe('SUCCESS');
  });

  it('matches to the last byte and wei', async () => {
    await nextRun();
    const { id } = await transferAction(parseEther('1'), '0xaabb');
    await send(parseEther('1') - 1n, '0xaabb');
    await send(parseEther('1'), '0xaabc');
    await send(parseEther('1'));
    await mine(CONFIRMATIONS);
    await catchUp(deps, CHAIN_ID);
    expect(await statusOf(id)).toEqual(['INITIAL', 'WAITING_ORIGIN']);
  });

  it('waits for the origin again when a reorganisation drops the transaction, and finds it in the new fork', async () => {
    await mine(3);
    await nextRun();
    const { id } = await transferAction(4n);
    const dropped = await send(4n, '0x', { nonce: 0 });
    await catchUp(deps, CHAIN_ID);
    await anvil.rpc.call('anvil_reorg', [1, []]);
    await mine(1);
    await catchUp(deps, CHAIN_ID);
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_ORIGIN']);
    const lost = await test.database.actionStep.findFirstOrThrow({ where: { actionId: id } });
    expect(lost).toMatchObject({ status: 'PENDING', txHash: null });
    const event = await test.database.actionEvent.findFirstOrThrow({
      where: { actionId: id },
      orderBy: { id: 'desc' },
    });
    expect(event.detail).toMatchObject({ txHash: dropped, cause: expect.stringContaining('reorganised') });
    await send(4n, '0x', { nonce: 0 });
    await mine(CONFIRMATIONS);
    await trackUntil(deps, { actionId: id, chainId: CHAIN_ID, status: 'SUCCESS' });
    expect(await historyOf(test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>PENDING WAITING_ORIGIN',
      'PENDING>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
  });

  it('follows a transaction that a reorganisation moved to another block', async () => {
    await nextRun();
    const { id } = await transferAction(5n);
    const snapshot = await anvil.rpc.call('evm_snapshot');
    const txHash = await send(5n, '0x', { nonce: 0 });
    await catchUp(deps, CHAIN_ID);
    await anvil.rpc.call('evm_revert', [snapshot]);
    await mine(2);
    expect(await send(5n, '0x', { nonce: 0 })).toBe(txHash);
    await mine(CONFIRMATIONS);
    await trackUntil(deps, { actionId: id, chainId: CHAIN_ID, status: 'SUCCESS' });
    const step = await test.database.actionStep.findFirstOrThrow({ where: { actionId: id } });
    expect(step).toMatchObject({ txHash, blockNumber: 3n, status: 'CONFIRMED' });
  });

  it('accepts the transaction that replaced an earlier one with the same call and a higher fee', async () => {
    await mine(2);
    await nextRun();
    const { id } = await transferAction(5n);
    const snapshot = await anvil.rpc.call('evm_snapshot');
    await send(5n, '0x', { nonce: 0 });
    await catchUp(deps, CHAIN_ID);
    await anvil.rpc.call('evm_revert', [snapshot]);
    const replacement = await send(5n, '0x', { nonce: 0, gasPrice: parseGwei('9') });
    await mine(CONFIRMATIONS);
    await trackUntil(deps, { actionId: id, chainId: CHAIN_ID, status: 'SUCCESS' });
    const step = await test.database.actionStep.findFirstOrThrow({ where: { actionId: id } });
    expect(step).toMatchObject({ txHash: replacement, status: 'CONFIRMED' });
  });

  it('continues on a chain that was reset and is shorter than before', async () => {
    await mine(400);
    await nextRun();
    const { id: before } = await transferAction(6n, '0x01');
    await mine(20);
    await catchUp(deps, CHAIN_ID);
    await anvil.stop();
    rmSync(path.join(directory, 'state.json'), { force: true });
    anvil = await startBareChain(directory);
    deps = { ...trackerOf(test.database, chain, anvil.rpcUrl), replicaId: deps.replicaId };
    await mine(10);
    const { id: after } = await transferAction(6n, '0x02');
    await send(6n, '0x01');
    await send(6n, '0x02');
    await mine(CONFIRMATIONS);
    await trackUntil(deps, { actionId: after, chainId: CHAIN_ID, status: 'SUCCESS' });
    expect((await statusOf(before))[0]).toBe('SUCCESS');
  });

  it('records everything once when several replicas read at the same time', async () => {
    await nextRun();
    await test.database.chainTracker.deleteMany();
    const replicas = Array.from({ length: 4 }, () => trackerOf(test.database, chain, anvil.rpcUrl));
    const actions = [];
    for (let index = 0; index < 6; index += 1) actions.push(await transferAction(8n, numberToHex(index, { size: 2 })));
    for (let index = 0; index < 6; index += 1) await send(8n, numberToHex(index, { size: 2 }));
    for (let round = 0; round < 8; round += 1) {
      await Promise.allSettled(replicas.map((replica) => runTrackerOnce(replica, CHAIN_ID)));
      await mine(1);
      // The worst case: the lease ends during a pass.
      await test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });
    }
    for (const { id } of actions) {
      expect(await historyOf(test.database, id)).toEqual([
        '>INITIAL WAITING_ORIGIN',
        'INITIAL>PENDING WAITING_CONFIRMATIONS',
        'PENDING>SUCCESS',
      ]);
    }
  });
});

describe('the trackers of a process', () => {
  it('continue after the chain did not respond, and stop on request', async () => {
    const trackers = startTrackers({ ...deps, pollMs: 20 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await anvil.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const port = Number.parseInt(new URL(anvil.rpcUrl).port, 10);
    const { id } = await transferAction(9n);
    anvil = await startBareChain(directory, port);
    await send(9n);
    await mine(CONFIRMATIONS);
    await until('the action has succeeded', async () => (await statusOf(id))[0] === 'SUCCESS');
    await trackers.stop();
    const [tracker] = await test.database.chainTracker.findMany();
    expect(tracker?.leaseUntil.getTime()).toBeLessThanOrEqual(Date.now());
  });
});
