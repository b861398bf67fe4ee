import { type Address, encodeFunctionData, erc20Abi, type Hex, parseUnits, zeroAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { DevnetAccount } from '../../devnet/accounts';
import { ownArtifact } from '../../devnet/artifacts';
import { SERVICE_WALLET_KEY } from '../../devnet/service-wallet';
import { RAY } from '../../src/money/ray';
import { COLLECTION_REGISTRY_ABI as abi, entryKey } from '../../src/strategies/collection/registry-contract';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { type CollectionWorld, openCollectionWorld } from './collection-world';
import { callContract, mint, type StrategyChain, strategyChain } from './local-strategies';

const usdc = (amount: string): bigint => parseUnits(amount, 6);
const KEY = entryKey('customer', 'Test-USDC-devnet');
const DAY = 86_400;

let universe: TestUniverse;
let local: StrategyChain;
let world: CollectionWorld;
let wallet: DevnetAccount;
let other: DevnetAccount;
let revertOnce: () => Promise<void>;
beforeAll(async () => {
  universe = await universeOfTests();
  local = strategyChain(universe, chainNamed(universe, 'devnet'));
  world = await openCollectionWorld(universe, local);
  [wallet, other] = [universe.accounts[3]!, universe.accounts[4]!];
  await world.allow(wallet);
  await world.setEntry(KEY, {}, 0n);
});
beforeEach(async () => {
  revertOnce = await snapshotOf(local.chain);
});
afterEach(() => revertOnce());

describe('a hostile vault', () => {
  const hostileKey = entryKey('customer', 'hostile');
  const tokenAbi = ownArtifact('RiggedVault').abi;
  const command = (address: Address, functionName: string, args: readonly unknown[]) =>
    callContract(local, other.privateKey, { address, abi: tokenAbi, functionName, args });

  /** A vault that is the controller of a registry as well, and whose shares the wallet holds and has allowed. */
  async function rigged(): Promise<{ readonly vault: Address; readonly registry: Address }> {
    const vault = await local.deploy('RiggedVault', []);
    const registry = await local.deploy('CollectionRegistry', [vault]);
    await mint(local, other, [vault, wallet.address, 1_000_000_000n]);
    for (const token of [vault, world.vault]) {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [registry, 10n ** 30n] });
      await world.by(wallet, token, data);
    }
    const entry = { ...(await world.entry(KEY)), version: 0n };
    for (const [key, market] of [
      [KEY, world.vault],
      [hostileKey, vault],
    ] as const) {
      const args = [key, { ...entry, vault: market }, 0n] as const;
      await command(vault, 'execute', [registry, encodeFunctionData({ abi, functionName: 'setEntry', args })]);
      const enrolment = encodeFunctionData({ abi, functionName: 'enrol', args: [key, 2000] });
      await world.by(wallet, registry, enrolment);
    }
    return { vault, registry };
  }

  const collectData = (key: Hex, shares: bigint, periodId = 1n): Hex =>
    encodeFunctionData({ abi, functionName: 'collect', args: [key, wallet.address, periodId, shares] });

  it('that lies about its price takes no shares of another, and 1 % of its own a day at most', async () => {
    await world.deposit(wallet, usdc('1000'));
    const before = await world.shares(wallet.address);
    const { vault, registry } = await rigged();
    await command(vault, 'setPrice', [10n ** 40n]);
    await local.wait(DAY);
    const args = [hostileKey, wallet.address] as const;
    const shares = await local.client.readContract({ address: registry, abi, functionName: 'collectable', args });
    expect(shares).toBeLessThanOrEqual((1_000_000_000n * 2000n) / 10_000n / 100n);
    await expect(command(vault, 'execute', [registry, collectData(KEY, 1n)])).rejects.toThrow('the preparation failed');
    expect(await world.shares(wallet.address)).toBe(before);
  });

  it.each(['its own', 'another'])(
    'that calls the registry while it is transferred collects nothing of %s key',
    async (which) => {
      await world.deposit(wallet, usdc('1000'));
      const { vault, registry } = await rigged();
      await command(vault, 'setPrice', [2n * RAY]);
      await world.earn(usdc('100'));
      await local.wait(10 * DAY);
      const before = await world.shares(wallet.address);
      const inner = which === 'another' ? collectData(KEY, 1n) : collectData(hostileKey, 1n, 2n);
      await command(vault, 'attack', [registry, inner]);
      const outer = collectData(hostileKey, 1000n);
      await expect(command(vault, 'execute', [registry, outer])).rejects.toThrow('the preparation failed');
      expect(await world.shares(wallet.address)).toBe(before);
      expect(await local.balanceOf(vault, wallet.address)).toBe(1_000_000_000n);
      await command(vault, 'attack', [zeroAddress, '0x']);
      await command(vault, 'execute', [registry, outer]);
      expect(await local.balanceOf(vault, wallet.address)).toBe(1_000_000_000n - 1000n);
    },
  );
});

it('the registry of the local chains has the wallet of the service as its controller', async () => {
  for (const chain of universe.chains) {
    const { client } = strategyChain(universe, chain);
    const controller = await client.readContract({
      address: chain.collectionRegistry!,
      abi,
      functionName: 'controller',
    });
    expect(controller).toBe(privateKeyToAddress(SERVICE_WALLET_KEY));
  }
});
