import type { Address } from 'viem';
import { anchorTokens } from '../chains/anchor-tokens';
import type { Chain } from '../chains/chain';
import type { TransferProbe } from './transfer-probe';

/**
 * True when each token reaches and leaves its pool undiminished, so that what a pool promises is what arrives. The
 * anchors of the chain are known to.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain could not be asked.
 */
export async function arriveWhole(
  { probe, chain }: { readonly probe: TransferProbe; readonly chain: Chain },
  held: readonly { readonly token: Address; readonly holder: Address }[],
  signal: AbortSignal,
): Promise<boolean> {
  const anchors = anchorTokens(chain);
  const strangers = held.filter(({ token }) => !anchors.has(token));
  const { chainId } = chain;
  const verdicts = await Promise.all(strangers.map((each) => probe.arrivesWhole({ chainId, ...each }, signal)));
  return verdicts.every((whole) => whole);
}
