import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  getAddress,
  type Hex,
  multicall3Abi,
  numberToHex,
  pad,
  parseAbi,
  type PublicClient,
  stringToHex,
} from 'viem';
import type { Chain } from '../../src/chains/chain';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { contractRead } from '../../src/rpc/contract-read';
import type { Rpc } from '../../src/rpc/rpc';
import { rpcFailure } from '../../src/rpc/rpc-failure';
import type { Protocol } from '../../src/strategies/protocols/protocol';
import type { StrategyRow } from '../../src/strategies/strategy-row';

export const RAY = 10n ** 27n;
export const chains = createChainTable(KNOWN_CHAINS);
export const ethereum = chains.get(1);
export const base = chains.get(8453);

const vault = parseAbi([
  'function asset() view returns (address)',
  'function price() view returns (uint256)',
  'function rate() view returns (uint256)',
  'function deposits() view returns (uint256)',
  'function isOpen() view returns (bool)',
  'function symbol() view returns (bytes32)',
  'function name() view returns (bytes32)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function getBlockNumber() view returns (uint256)',
  'function getCurrentBlockTimestamp() view returns (uint256)',
  'function arbBlockNumber() view returns (uint256)',
  'function getEthBalance(address) view returns (uint256)',
  'function optional() view returns (uint256)',
]);
type FunctionName = (typeof vault)[number]['name'];
type PlainFunctionName = Exclude<FunctionName, 'getEthBalance'>;

export const addressOf = (index: number): Address => getAddress(pad(numberToHex(index + 4096), { size: 20 }));
export const ASSET = addressOf(900_000);

/** A row of the scripted protocol: the vault with a number. */
export const rowOf = (index: number, changes: Partial<StrategyRow> = {}): StrategyRow => ({
  id: `Vault-${String(index)}-ethereum`,
  aliases: [],
  protocol: 'erc4626',
  brand: 'Vault',
  chainId: 1,
  market: addressOf(index),
  underlying: ASSET,
  startDate: '2024-01-01',
  categories: ['stable'],
  isDefault: false,
  paused: false,
  trustMax: true,
  knownFeeBps: 0,
  metadata: { EN: { risk: 'low' } },
  ...changes,
});

const read = (address: Address, functionName: PlainFunctionName) => contractRead({ address, abi: vault, functionName });

const marketFunctions = (hasRate: boolean): readonly PlainFunctionName[] => [
  'price',
  'deposits',
  'isOpen',
  hasRate ? 'rate' : 'optional',
];

/** A protocol of vaults with a price. With `hasRate` they state a rate as well. */
export const scriptedProtocol = ({ hasRate = false } = {}): Protocol =>
  ({
    name: 'erc4626',
    resolution: (row: StrategyRow) => ({
      kind: 'next',
      read: {
        // Most vaults lack this function, and revert without data.
        reads: [read(row.market, 'asset'), read(row.market, 'optional')],
        decode([asset]: readonly (Address | undefined)[]) {
          if (asset === undefined) return undefined;
          return asset === row.underlying
            ? { kind: 'resolved', contracts: {}, receipt: row.market }
            : { kind: 'refused', reason: `the vault has the asset ${asset}` };
        },
      },
    }),
    market: ({ row }: { readonly row: StrategyRow }) => ({
      reads: marketFunctions(hasRate).map((name) => read(row.market, name)),
      decode([sharePriceRay, tvl, acceptsDeposits, yearlyRateRay]: readonly unknown[]) {
        if (sharePriceRay === undefined || tvl === undefined) return undefined;
        return {
          sharePriceRay,
          yearlyRateRay,
          tvl,
          liquidity: tvl,
          depositLimit: undefined,
          acceptsDeposits,
          allowsWithdrawals: true,
        };
      },
    }),
  }) as unknown as Protocol;

export type ScriptedValues = Partial<Record<FunctionName, bigint | boolean | Address | 'revert'>>;

export interface ScriptedNodes {
  readonly rpc: Pick<Rpc, 'serves' | 'request'>;
  /** Number of eth_calls. */
  calls: number;
  /** Chains whose nodes do not respond. */
  readonly down: Set<number>;
  /** Contracts whose reads fail, although the nodes respond for others. */
  readonly slow: Set<Address>;
  /** What contracts return instead of the default, by their address. */
  readonly values: Map<Address, ScriptedValues>;
  /** Unix seconds. */
  time: number;
  block: bigint;
}

const DEFAULTS: Readonly<Record<FunctionName, unknown>> = {
  asset: ASSET,
  price: RAY,
  rate: RAY / 25n,
  deposits: 10n ** 12n,
  isOpen: true,
  symbol: stringToHex('TKN', { size: 32 }),
  name: stringToHex('Token', { size: 32 }),
  decimals: 6,
  totalSupply: 10n ** 12n,
  getBlockNumber: 0n,
  getCurrentBlockTimestamp: 0n,
  arbBlockNumber: 0n,
  getEthBalance: 0n,
  optional: 'empty',
};

/** Nodes of the served chains that execute `aggregate3`. */
export function scriptedNodes(served: readonly Chain[] = [ethereum]): ScriptedNodes {
  const ids = new Set(served.map(({ chainId }) => chainId));
  const nodes: ScriptedNodes = {
    calls: 0,
    down: new Set(),
    slow: new Set(),
    values: new Map(),
    time: Math.floor(Date.now() / 1000),
    block: 100n,
    rpc: {
      serves: (chainId) => ids.has(chainId),
      async request(chainId, run) {
        if (nodes.down.has(chainId)) throw rpcFailure(chains.get(chainId).slug, new Error('connection refused'));
        return run(client);
      },
    },
  };
  const respond = (target: Address, data: Hex): { success: boolean; returnData: Hex } => {
    const { functionName } = decodeFunctionData({ abi: vault, data });
    const own = nodes.values.get(getAddress(target))?.[functionName];
    if (own === 'revert') return { success: false, returnData: '0x08c379a0' };
    const ofBlock = {
      getBlockNumber: nodes.block,
      getCurrentBlockTimestamp: BigInt(nodes.time),
      arbBlockNumber: nodes.block,
    };
    const value = own ?? { ...DEFAULTS, ...ofBlock }[functionName];
    if (value === 'empty') return { success: false, returnData: '0x' };
    return { success: true, returnData: encodeFunctionResult({ abi: vault, functionName, result: value as never }) };
  };
  const client = {
    getBlockNumber: () => Promise.resolve(nodes.block),
    getBlock: () => Promise.resolve({ timestamp: BigInt(nodes.time) }),
    request({ params: [{ data }] }: { params: [{ data: Hex }] }) {
      nodes.calls += 1;
      const { args } = decodeFunctionData({ abi: multicall3Abi, data });
      const [all] = args as unknown as [readonly { target: Address; callData: Hex }[]];
      if (all.some(({ target }) => nodes.slow.has(getAddress(target)))) return Promise.reject(new Error('timeout'));
      const result = all.map(({ target, callData }) => respond(target, callData));
      return Promise.resolve(encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result }));
    },
  } as unknown as PublicClient;
  return nodes;
}
