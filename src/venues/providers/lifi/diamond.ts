import type { Address } from 'viem';
import type { Chain } from '../../../chains/chain';

const DIAMOND: Address = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE';

/**
 * Chains of the built-in table that LI.FI supports. Other chains and addresses come from the chain table.
 *
 * @see https://github.com/lifinance/contracts deployments/*.json, LiFiDiamond
 */
const SERVED: ReadonlySet<number> = new Set([1, 10, 56, 100, 137, 8453, 42_161, 43_114, 42_220]);

/**
 * LI.FI's contract, the only one that may be called and receive an allowance; `undefined` where LI.FI is not deployed.
 */
export const diamondOf = ({ chainId, lifi }: Chain): Address | undefined =>
  lifi?.diamond ?? (SERVED.has(chainId) ? DIAMOND : undefined);
