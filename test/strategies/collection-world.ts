import {
  type Address,
  BaseError,
  decodeErrorResult,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  maxUint256,
} from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import { createJsonRpc } from '../../devnet/json-rpc';
import { RAY } from '../../src/money/ray';
import {
  COLLECTION_REGISTRY_ABI as abi,
  collectableRead,
  collectCall,
  collectedEvents,
  entryRead,
  markRead,
  type RegistryEntry,
  setEntryCall,
} from '../../src/strategies/collection/registry-contract';
import { VAULT_ABI } from '../../src/strategies/protocols/erc4626/erc4626-abi';
import { pricedShares } from '../../src/strategies/protocols/share-price';
import type { TestUniverse } from '../setup/universe-of-tests';
import { mint, type StrategyChain } from './local-strategies';

/** Decimals of the shares of the vaults here: those of USDC, and six more. */
const OFFSET = 6;
export const SHARE_DECIMALS = 6 + OFFSET;

export const PERFORMANCE_COLLECTOR: Address = '0x00000000000000000000000000000000000Fee01';
export const MARKUP_RECIPIENT: Address = '0x00000000000000000000000000000000000Fee02';

const FRIEND: Address = '0x00000000000000000000000000000000000A11cE';

export type CollectionWorld = Awaited<ReturnType<typeof openCollectionWorld>>;
type Entry = Omit<RegistryEntry, 'version'>;

/** A registry with a hostile controller, and a vault of USDC whose price the tests move. */
export async function openCollectionWorld(universe: TestUniverse, local: StrategyChain) {
  const { client } = local;
  const controller = universe.accounts[7]!;
  const minter = universe.accounts[8]!;
  const json = createJsonRpc(local.chain.rpcUrl);
  const usdc = local.chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
  const registry = await local.deploy('CollectionRegistry', [controller.address]);
  const vault = getAddress(await local.deploy('YieldVault', [usdc, 'Test', 'TST', 0n, OFFSET]));

  const by = (account: DevnetAccount, to: Address, data: Hex) => local.send(account.privateKey, { to, data });
  const read = async <Result>({ to, data, decode }: { to: Address; data: Hex; decode(result: Hex): Result }) => {
    const result = await client.call({ to, data });
    return decode(result.data!);
  };
  const approve = (account: DevnetAccount, token: Address, spender: Address) =>
    by(account, token, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, maxUint256] }));
  return {
    registry,
    vault,
    controller,
    by,
    setEntry: (key: Hex, changes: Partial<Entry>, expectedVersion: bigint) =>
      local.send(
        controller.privateKey,
        setEntryCall(registry, { key, entry: { ...liveEntry(vault), ...changes }, expectedVersion }),
      ),
    entry: (key: Hex) => read(entryRead(registry, key)),
    mark: (key: Hex, wallet: Address) => read(markRead(registry, key, wallet)),
    collectable: (key: Hex, wallet: Address) => read(collectableRead(registry, key, wallet)),
    /** Returns the events of the collection. */
    async collect(key: Hex, wallet: Address, request: { readonly periodId: bigint; readonly shares: bigint }) {
      const call = collectCall(registry, { key, wallet, ...request });
      const hash = await local.send(controller.privateKey, call);
      const { logs } = await client.getTransactionReceipt({ hash });
      return collectedEvents(registry, logs);
    },
    setPaused: (isPaused: boolean) =>
      by(controller, registry, encodeFunctionData({ abi, functionName: isPaused ? 'pause' : 'unpause' })),
    enrol: (account: DevnetAccount, key: Hex, maxBps: number) =>
      by(account, registry, encodeFunctionData({ abi, functionName: 'enrol', args: [key, maxBps] })),
    leave: (account: DevnetAccount, key: Hex) =>
      by(account, registry, encodeFunctionData({ abi, functionName: 'leave', args: [key] })),
    record: (account: DevnetAccount, key: Hex) =>
      by(account, registry, encodeFunctionData({ abi, functionName: 'record', args: [key] })),
    /** Allowances of a wallet: to the vault for USDC, to the registry for shares. */
    async allow(account: DevnetAccount): Promise<void> {
      await approve(account, usdc, vault);
      await approve(account, vault, registry);
    },
    revoke: (account: DevnetAccount) =>
      by(account, vault, encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [registry, 0n] })),
    deposit: (account: DevnetAccount, assets: bigint) =>
      by(
        account,
        vault,
        encodeFunctionData({ abi: VAULT_ABI, functionName: 'deposit', args: [assets, account.address] }),
      ),
    redeem(account: DevnetAccount, shares: bigint) {
      const args = [shares, account.address, account.address] as const;
      return by(account, vault, encodeFunctionData({ abi: VAULT_ABI, functionName: 'redeem', args }));
    },
    transfer: (account: DevnetAccount, to: Address, shares: bigint) =>
      by(account, vault, encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, shares] })),
    shares: (owner: Address) => local.balanceOf(vault, owner),
    /** Shares of the performance collector, of the markup recipient and of the registry. */
    async received(): Promise<readonly [bigint, bigint, bigint]> {
      const of = (owner: Address) => local.balanceOf(vault, owner);
      return [await of(PERFORMANCE_COLLECTOR), await of(MARKUP_RECIPIENT), await of(registry)];
    },
    totalAssets: () => client.readContract({ address: vault, abi: VAULT_ABI, functionName: 'totalAssets' }),
    /** Assets per share as a ray. */
    async price(): Promise<bigint> {
      const args = [pricedShares(SHARE_DECIMALS)] as const;
      const worth = await client.readContract({
        address: vault,
        abi: VAULT_ABI,
        functionName: 'convertToAssets',
        args,
      });
      return (worth * RAY) / args[0];
    },
    /** Raises the price. */
    earn: (assets: bigint) => mint(local, minter, [usdc, vault, assets]),
    /** Lowers the price: assets leave the vault. */
    async lose(assets: bigint): Promise<void> {
      await json.call('anvil_impersonateAccount', [vault]);
      await json.call('anvil_setBalance', [vault, '0xde0b6b3a7640000']);
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [FRIEND, assets] });
      await json.call('eth_sendTransaction', [{ from: vault, to: usdc, data }]);
      await json.call('evm_mine', []);
    },
  };
}

const liveEntry = (vault: Address): Entry => ({
  vault,
  performanceCollector: PERFORMANCE_COLLECTOR,
  markupRecipient: MARKUP_RECIPIENT,
  performanceBps: 1000,
  markupBps: 500,
  live: true,
});

/** Name of the registry's error with which a call is refused; `undefined` when it is not. */
export async function refusalOf(sending: Promise<unknown>): Promise<string | undefined> {
  try {
    await sending;
    return undefined;
  } catch (error) {
    const cause = error instanceof BaseError ? error.walk((each) => each instanceof Error && 'data' in each) : error;
    return decodeErrorResult({ abi, data: (cause as { data: Hex }).data }).errorName;
  }
}
