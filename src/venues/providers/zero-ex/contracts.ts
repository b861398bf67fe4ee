import { type Address, parseAbi } from 'viem';
import type { Chain } from '../../../chains/chain';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';

/** AllowanceHolder on chains that have had the Cancun upgrade for as long as 0x has been on them. */
const ALLOWANCE_HOLDER: Address = '0x0000000000001fF3684f28c67538d4D072C22734';

/**
 * Chains that 0x serves among those known by name. Another chain, or another address, is set by the chain table.
 *
 * @see https://docs.0x.org/docs/core-concepts/contracts
 */
const SERVED: ReadonlySet<number> = new Set([1, 10, 56, 137, 8453, 42_161, 43_114]);

/** The only contract that may be allowed to take tokens; `undefined` where 0x is not. */
export const allowanceHolderOf = ({ chainId, zeroEx }: Chain): Address | undefined =>
  zeroEx?.allowanceHolder ?? (SERVED.has(chainId) ? ALLOWANCE_HOLDER : undefined);

/** Deployer and registry of the contracts that settle, the same on every chain. */
const REGISTRY: Address = '0x00000000000004533Fe15556B1E086BB1A72cEae';
/** Number under which the registry has the Settler of transactions that takers send themselves. */
const TAKER_SUBMITTED = 2n;
const registry = parseAbi([
  'function ownerOf(uint256 feature) view returns (address)',
  'function prev(uint128 feature) view returns (address)',
]);

/**
 * Whether `contract` is the current Settler, or the one before it, which 0x uses for a while longer. Whoever sells the
 * native coin may be sent to it directly; it must never be allowed to take a token.
 *
 * @throws PROVIDER_UNAVAILABLE
 * @see https://github.com/0xProject/0x-settler
 */
export async function isSettler(
  { rpc, chainId }: { readonly rpc: Pick<Rpc, 'multicall'>; readonly chainId: number },
  contract: Address,
  signal: AbortSignal,
): Promise<boolean> {
  const settlers = await rpc.multicall(
    chainId,
    [
      contractRead({ address: REGISTRY, abi: registry, functionName: 'ownerOf', args: [TAKER_SUBMITTED] }),
      contractRead({ address: REGISTRY, abi: registry, functionName: 'prev', args: [TAKER_SUBMITTED] }),
    ],
    { signal },
  );
  // A registry that answers no owner has paused.
  return settlers[0] !== undefined && settlers.includes(contract);
}
