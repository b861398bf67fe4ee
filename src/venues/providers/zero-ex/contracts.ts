import { type Address, parseAbi } from 'viem';
import type { Chain } from '../../../chains/chain';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';

/** AllowanceHolder on chains that have had the Cancun upgrade for as long as 0x has been on them. */
const ALLOWANCE_HOLDER: Address = '0x0000000000001fF3684f28c67538d4D072C22734';

/**
 * Chains of the built-in table that 0x supports. Other chains and addresses come from the chain table.
 *
 * @see https://docs.0x.org/docs/core-concepts/contracts
 */
const SERVED: ReadonlySet<number> = new Set([1, 10, 56, 137, 8453, 42_161, 43_114]);

/** The only contract that may receive an allowance; `undefined` where 0x is not deployed. */
export const allowanceHolderOf = ({ chainId, zeroEx }: Chain): Address | undefined =>
  zeroEx?.allowanceHolder ?? (SERVED.has(chainId) ? ALLOWANCE_HOLDER : undefined);

/** Registry of the Settler contracts, the same on every chain. */
const REGISTRY: Address = '0x00000000000004533Fe15556B1E086BB1A72cEae';
/** Registry number of the Settler for transactions that takers send themselves. */
const TAKER_SUBMITTED = 2n;
const registry = parseAbi([
  'function ownerOf(uint256 feature) view returns (address)',
  'function prev(uint128 feature) view returns (address)',
]);

/**
 * True when `contract` is the current Settler or the previous one, which 0x uses for a while longer. Sellers of the
 * native coin may send it to the Settler directly; it must never receive an allowance.
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
  // The registry returns no owner while it is paused.
  return settlers[0] !== undefined && settlers.includes(contract);
}
