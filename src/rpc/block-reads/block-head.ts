import { type Address, multicall3Abi } from 'viem';
import type { Chain } from '../../chains/chain';
import { MULTICALL3 } from '../multicall';
import { contractRead, type ContractRead } from '../contract-read';

/** A block of an EVM chain. */
export interface BlockHead {
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
}

/**
 * Chains of Arbitrum's Nitro stack, whose contracts see the number of the parent chain's block. The precompile ArbSys returns
 * the number of their own. The chain table names further ones.
 *
 * @see https://docs.arbitrum.io/build-decentralized-apps/arbitrum-vs-ethereum/block-numbers-and-time
 */
const NITRO_CHAINS: ReadonlySet<number> = new Set([42161, 42170, 421614]);
const ARB_SYS: Address = '0x0000000000000000000000000000000000000064';
const ARB_SYS_ABI = [
  { type: 'function', name: 'arbBlockNumber', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint256' }] },
] as const;
/** Not part of viem's ABI of Multicall3. */
const BLOCK_NUMBER_ABI = [
  { type: 'function', name: 'getBlockNumber', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint256' }] },
] as const;

/** Reads of the number and the time of the block in which a multicall runs. */
export const headReads = ({
  chainId,
  isNitro = NITRO_CHAINS.has(chainId),
}: Pick<Chain, 'chainId' | 'isNitro'>): readonly [ContractRead<bigint>, ContractRead<bigint>] => [
  isNitro
    ? contractRead({ address: ARB_SYS, abi: ARB_SYS_ABI, functionName: 'arbBlockNumber' })
    : contractRead({ address: MULTICALL3, abi: BLOCK_NUMBER_ABI, functionName: 'getBlockNumber' }),
  contractRead({ address: MULTICALL3, abi: multicall3Abi, functionName: 'getCurrentBlockTimestamp' }),
];
