import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Chain } from '../chains/chain';
import { type ChainTable, createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { STRATEGY_ROUTER_ADDRESS } from '../chains/strategy-router';
import { chainSchema } from './chain-schema';
import { describeIssue } from './describe-issue';
import { withTokenLists } from './load-token-lists';

export interface ConfiguredChains {
  readonly table: ChainTable;
  /** RPC endpoint by chain id: the chains that this deployment serves. */
  readonly rpcUrls: ReadonlyMap<number, string>;
}

type Environment = Readonly<Record<string, string | undefined>>;
type ConfiguredChain = z.infer<typeof chainSchema>;

/**
 * The known chains, replaced or extended by those of `CHAINS_FILE`, with the tokens of
 * `TOKEN_LIST_FILES`, the routers of `STRATEGY_ROUTER_CHAINS` and the endpoints of `RPC_URL_<SLUG>`.
 * Appends the problems that it finds to `problems`.
 */
export function loadChains(environment: Environment, problems: string[]): ConfiguredChains {
  const configured = readChainsFile(environment['CHAINS_FILE'], problems);
  const replaced = new Set(configured.flatMap((chain) => [chain.slug, chain.chainId]));
  const kept = KNOWN_CHAINS.filter((chain) => !replaced.has(chain.slug) && !replaced.has(chain.chainId));
  const listed = withTokenLists([...kept, ...configured.map(toChain)], environment['TOKEN_LIST_FILES'], problems);
  const chains = withRouters(listed, environment['STRATEGY_ROUTER_CHAINS'], problems);
  const rpcUrls = rpcUrlsOf({ chains, configured, environment }, problems);
  return { table: tableOf({ chains, rpcUrls }, problems), rpcUrls };
}

function readChainsFile(file: string | undefined, problems: string[]): readonly ConfiguredChain[] {
  if (file === undefined) return [];
  try {
    const parsed = z.array(chainSchema).safeParse(JSON.parse(readFileSync(file, 'utf8')), { error: describeIssue });
    if (parsed.success) return parsed.data;
    problems.push(...parsed.error.issues.map((issue) => `CHAINS_FILE: ${issue.path.join('.')} ${issue.message}`));
  } catch (error) {
    problems.push(`CHAINS_FILE: cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return [];
}

function toChain(configured: ConfiguredChain): Chain {
  const { slug, chainId, kind, name, nativeCurrency, confirmations, connectors, dollarTokens, tokens } = configured;
  const { explorer, wrappedNative, uniswapV2, uniswapV3, across, cctp, paymaster, ramps, jupiter, zeroEx, lifi } =
    configured;
  const { logoURI, custodyAsset, prices, isNitro, strategyRouter, collectionRegistry } = configured;
  return {
    slug,
    chainId,
    kind,
    name,
    nativeCurrency,
    confirmations,
    connectors,
    dollarTokens,
    tokens,
    explorer,
    logoURI,
    wrappedNative,
    uniswapV2,
    uniswapV3,
    across,
    cctp,
    paymaster,
    collectionRegistry,
    ramps,
    jupiter,
    zeroEx,
    lifi,
    custodyAsset,
    prices,
    isNitro,
    strategyRouter,
  };
}

/** The chains with the router of strategies at its default address where `STRATEGY_ROUTER_CHAINS` names them by slug. */
function withRouters(chains: readonly Chain[], slugs: string | undefined, problems: string[]): readonly Chain[] {
  const named = new Set((slugs ?? '').split(',').flatMap((slug) => (slug.trim() === '' ? [] : [slug.trim()])));
  const isEvm = (slug: string): boolean => chains.some((chain) => chain.slug === slug && chain.kind === 'evm');
  for (const slug of [...named].filter((each) => !isEvm(each)))
    problems.push(`STRATEGY_ROUTER_CHAINS: ${slug} is not an EVM chain of this deployment`);
  return chains.map((chain) =>
    named.has(chain.slug) ? { ...chain, strategyRouter: chain.strategyRouter ?? STRATEGY_ROUTER_ADDRESS } : chain,
  );
}

function tableOf(
  { chains, rpcUrls }: Pick<RpcSources, 'chains'> & Pick<ConfiguredChains, 'rpcUrls'>,
  problems: string[],
): ChainTable {
  try {
    return createChainTable(chains, ({ kind, chainId }) => kind === 'fiat' || rpcUrls.has(chainId));
  } catch (error) {
    problems.push(`CHAINS_FILE: ${error instanceof Error ? error.message : String(error)}`);
    return createChainTable([]);
  }
}

interface RpcSources {
  readonly chains: readonly Chain[];
  readonly configured: readonly ConfiguredChain[];
  readonly environment: Environment;
}

function rpcUrlsOf(sources: RpcSources, problems: string[]): ReadonlyMap<number, string> {
  const urls = new Map<number, string>();
  for (const { chainId, rpcUrl } of sources.configured) if (rpcUrl !== undefined) urls.set(chainId, rpcUrl);
  const bySuffix = new Map(sources.chains.map((chain) => [chain.slug.toUpperCase().replaceAll('-', '_'), chain]));
  for (const [name, value] of Object.entries(sources.environment)) {
    if (!name.startsWith('RPC_URL_') || value === undefined) continue;
    const chain = bySuffix.get(name.slice('RPC_URL_'.length));
    if (chain === undefined) problems.push(`${name}: is not a chain of this deployment. Describe it in CHAINS_FILE`);
    else if (!z.url({ protocol: /^https?$/ }).safeParse(value).success) problems.push(`${name}: is not an http(s) URL`);
    else urls.set(chain.chainId, value);
  }
  return urls;
}
