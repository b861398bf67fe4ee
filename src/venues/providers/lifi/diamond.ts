import type { Address } from 'viem';
import type { Chain } from '../../../chains/chain';

const DIAMOND: Address = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE';

/**
 * Chains that LI.FI serves among those known by name. Another chain, or another address, is set by the chain table.
 *
 * @see https://github.com/lifinance/contracts deployments/*.json, LiFiDiamond
 */
const SERVED: ReadonlySet<number> = new Set([1, 10, 56, 100, 137, 8453, 42_161, 43_114, 42_220]);

/** The only contract that may be called and be allowed to take tokens; `undefined` where LI.FI is not. */
export const diamondOf = ({ chainId, lifi }: Chain): Address | undefined =>
  lifi?.diamond ?? (SERVED.has(chainId) ? DIAMOND : undefined);
