import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Address } from 'viem';
import type { Chain, ListedToken, RampNetworks, UniswapV2Deployment, UniswapV3Deployment } from '../src/chains/chain';
import { STRATEGY_ROUTER_ADDRESS } from '../src/chains/strategy-router';
import { ACCOUNT_ABSTRACTION_CONTRACTS } from './account-abstraction/account-abstraction-contracts';
import { type DevnetAccount, devnetAccounts } from './accounts';
import { ACROSS_CONTRACTS } from './across/across-contracts';
import { CANONICAL } from './canonical-addresses';
import type { ChainExtension } from './chain-extension';
import { cctpDeployment } from './cctp/cctp-contracts';
import { DevnetError } from './devnet-error';
import { EXTENSIONS } from './extensions';
import { startHeartbeat } from './heartbeat';
import { type KeptChain, keepChain } from './keep-chain';
import { LIFI_CONTRACTS } from './lifi/lifi-contracts';
import { type DevnetSlug, POOLS } from './liquidity';
import { priceSourcesOf } from './prices/price-feeds';
import type { ChainSetup } from './set-up-chain';
import type { SetupCall } from './setup-transactions';
import { COLLECTION_REGISTRY } from './strategies/collection-registry';
import { type DevnetStrategy, strategiesOf } from './strategies/strategy-rows';
import { type DevnetTokens, devnetTokens } from './tokens';

/** A local chain as the service's configuration describes chains. */
export interface DevnetChain extends Omit<Chain, 'explorer' | 'uniswapV2' | 'uniswapV3' | 'tokens'> {
  readonly slug: DevnetSlug;
  readonly uniswapV2: UniswapV2Deployment;
  readonly ramps: { readonly [Ramp in keyof RampNetworks]-?: NonNullable<RampNetworks[Ramp]> };
  readonly uniswapV3: UniswapV3Deployment;
  readonly tokens: readonly (Omit<ListedToken, 'logoURI'> & { readonly address: Address })[];
  readonly rpcUrl: string;
}

export interface UniverseOptions {
  /** Where the chains keep their state: a second start with the same directory continues where the first ended. */
  readonly dataDirectory: string;
  readonly log: (line: string) => void;
  /** Seconds between a transaction's block and the empty blocks that confirm it. 1 when not given. */
  readonly blockTimeSeconds?: number;
  /** Free ones when not given. */
  readonly ports?: Partial<Readonly<Record<DevnetSlug, number>>>;
  /** The contracts besides those of the venues. All of the local chains when not given. */
  readonly extensions?: readonly ChainExtension[];
}

/** Local chains with venues, tokens and liquidity, and accounts that hold some of each. */
export interface Universe {
  readonly chains: readonly DevnetChain[];
  readonly accounts: readonly DevnetAccount[];
  /** Where the tokens of the chains can earn interest. */
  readonly strategies: readonly DevnetStrategy[];
  /** Resolves with the slug of the first chain that has ended for good, whether or not it was stopped. */
  readonly ended: Promise<DevnetSlug>;
  /** Runs `work` while a chain mines nothing but the transactions that it is sent. */
  hold<Result>(slug: DevnetSlug, work: () => Promise<Result>): Promise<Result>;
  /** Saves the chains' state and ends their processes. */
  stop(): Promise<void>;
}

const IDENTITIES: Readonly<Record<DevnetSlug, { readonly chainId: number; readonly name: string }>> = {
  devnet: { chainId: 31337, name: 'Devnet' },
  'devnet-l2': { chainId: 31338, name: 'Devnet L2' },
};
const SLUGS: readonly DevnetSlug[] = ['devnet', 'devnet-l2'];
const CONFIRMATIONS = 2;
/** Both chains have the router of strategies. The other one is operated without it, as most chains of a deployment may be. */
const ROUTED: ReadonlySet<DevnetSlug> = new Set<DevnetSlug>(['devnet']);
/** The local chains play these networks to the ramps. */
const RAMP_NETWORKS = {
  devnet: { primary: 'POLYGON', secondary: 'polygon' },
  'devnet-l2': { primary: 'BASE', secondary: 'base' },
} as const satisfies Readonly<Record<DevnetSlug, RampNetworks>>;

/** @throws DevnetError when a chain does not start; then none is left running. */
export async function startUniverse(options: UniverseOptions): Promise<Universe> {
  const accounts = devnetAccounts();
  const tokens = devnetTokens(accounts);
  const { extensions = EXTENSIONS } = options;
  const started = await Promise.allSettled(
    SLUGS.map(async (slug) => {
      const logFile = path.join(options.dataDirectory, `${slug}.log`);
      const { chainId } = IDENTITIES[slug];
      const addresses = accounts.map(({ address }) => address);
      const setup = { chainId, tokens, pools: POOLS[slug], accounts: addresses, extensions };
      const stateFile = path.join(options.dataDirectory, `${slug}-${fingerprint(setup)}.json`);
      const anvil = { chainId, port: options.ports?.[slug], stateFile, logFile };
      const settings = { blockTimeSeconds: options.blockTimeSeconds ?? 1, settlingBlocks: CONFIRMATIONS + 1 };
      const start = { anvil, setup, log: options.log };
      return { slug, chain: await keepChain({ start, startHeartbeat: (rpc) => startHeartbeat({ ...settings, rpc }) }) };
    }),
  );
  const running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = started.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await Promise.all(running.map(({ chain }) => chain.stop()));
    throw failed.reason;
  }
  const chains = new Map(running.map(({ slug, chain }) => [slug, chain]));
  return {
    chains: running.map(({ slug, chain }) => describe(slug, chain, tokens)),
    accounts,
    strategies: SLUGS.flatMap((slug) => strategiesOf({ slug, chainId: IDENTITIES[slug].chainId }, tokens)),
    ended: Promise.race(running.map(({ slug, chain }) => chain.ended.then(() => slug))),
    hold: (slug, work) =>
      chains.get(slug)?.heartbeat.hold(work) ?? Promise.reject(new DevnetError(`no chain ${slug} runs`)),
    async stop() {
      await Promise.all(running.map(({ chain }) => chain.stop()));
    },
  };
}

/** Changes with what the set-up puts on the chains, so that an older state is not taken for the current one. */
function fingerprint({ chainId, tokens, pools, extensions: all }: ChainSetup): string {
  const deployments = Object.values(tokens).map(({ address, grant }) => [address, grant.toString()]);
  const extensions = all.map((extension) => [extension.name, extension.calls({ chainId, tokens }).map(textOf)]);
  return createHash('sha256')
    .update(JSON.stringify([pools, deployments, CANONICAL, extensions]))
    .digest('hex')
    .slice(0, 8);
}

const textOf = ({ to, data, value }: SetupCall): string => `${to ?? ''} ${data ?? ''} ${String(value ?? 0n)}`;

function describe(slug: DevnetSlug, { rpcUrl }: Pick<KeptChain, 'rpcUrl'>, tokens: DevnetTokens): DevnetChain {
  const { v2Factory, v2Router, v3Factory, v3Router, v3Quoter } = CANONICAL;
  const { WETH, USDC, USDT, DAI } = tokens;
  return {
    slug,
    ...IDENTITIES[slug],
    kind: 'evm',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    confirmations: CONFIRMATIONS,
    wrappedNative: WETH.address,
    connectors: [WETH.address, USDC.address, USDT.address, DAI.address],
    dollarTokens: [USDC.address, USDT.address, DAI.address],
    uniswapV2: { factory: v2Factory, router: v2Router },
    uniswapV3: { factory: v3Factory, router: v3Router, quoter: v3Quoter },
    across: ACROSS_CONTRACTS,
    cctp: cctpDeployment(IDENTITIES[slug].chainId, USDC.address),
    paymaster: ACCOUNT_ABSTRACTION_CONTRACTS.paymaster,
    collectionRegistry: COLLECTION_REGISTRY,
    ramps: RAMP_NETWORKS[slug],
    custodyAsset: 'ETH_TEST',
    // The router takes allowances and swaps for any caller, which is all that the emulated 0x needs.
    zeroEx: { allowanceHolder: v3Router },
    lifi: LIFI_CONTRACTS,
    strategyRouter: ROUTED.has(slug) ? STRATEGY_ROUTER_ADDRESS : undefined,
    prices: priceSourcesOf(slug, tokens),
    tokens: Object.values(tokens).map(({ address, symbol, name, decimals }) => ({ address, symbol, name, decimals })),
    rpcUrl,
  };
}
