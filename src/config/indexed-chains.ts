import type { ChainKind } from '../chains/chain';
import type { ChainTable } from '../chains/chain-table';

const RECORDED_KINDS: ReadonlySet<ChainKind> = new Set(['evm', 'solana']);

/** True for the chains whose token transfers are recorded, by their slugs. */
export function indexedChains(setting: string): (slug: string) => boolean {
  if (setting === 'on' || setting === 'off') return () => setting === 'on';
  const slugs = new Set(setting.split(',').map((slug) => slug.trim()));
  return (slug) => slugs.has(slug);
}

/** Problems of INDEX_WALLETS: slugs that are no EVM or Solana chains of the deployment. */
export function indexedChainProblems(setting: string, chains: ChainTable): readonly string[] {
  if (setting === 'on' || setting === 'off') return [];
  const slugs = setting.split(',').map((slug) => slug.trim());
  return slugs
    .filter((slug) => !chains.all.some((chain) => chain.slug === slug && RECORDED_KINDS.has(chain.kind)))
    .map((slug) => `INDEX_WALLETS: ${slug} is not an EVM or Solana chain of this deployment`);
}
