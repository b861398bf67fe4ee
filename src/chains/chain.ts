import type { Address } from 'viem';

/** Kind of a chain. `fiat` stands for bank money. */
export type ChainKind = 'evm' | 'solana' | 'bitcoin' | 'fiat';

/** Contracts of a constant-product venue with Uniswap V2's interface. */
export interface UniswapV2Deployment {
  readonly factory: Address;
  readonly router: Address;
}

/** Contracts of Uniswap V3. `router` is SwapRouter02, `quoter` is QuoterV2. */
export interface UniswapV3Deployment {
  readonly factory: Address;
  readonly router: Address;
  readonly quoter: Address;
}

/** Contracts of Across. The SpokePool accepts deposits and fills them. */
export interface AcrossDeployment {
  readonly spokePool: Address;
  /** Executes the calls of a deposit's message on the destination chain with the delivered tokens. */
  readonly multicallHandler?: Address | undefined;
}

/** Contracts of Circle's Cross-Chain Transfer Protocol, version 2, which burns and mints USDC. */
export interface CctpDeployment {
  /** Circle's id of the chain. */
  readonly domain: number;
  readonly tokenMessenger: Address;
  readonly messageTransmitter: Address;
  readonly usdc: Address;
  /** True when burns on this chain may be attested before they are final. */
  readonly fastSource: boolean;
}

/** Names of a chain at the primary and the secondary ramp. */
export interface RampNetworks {
  readonly primary?: 'POLYGON' | 'BASE' | 'ETHEREUM' | 'CELO' | 'GNOSIS' | 'SOLANA' | undefined;
  readonly secondary?: 'polygon' | 'base' | undefined;
}

/** A Chainlink feed of the price of a token in US dollars. */
export interface ChainlinkFeed {
  /** The native coin stands as its wrapper. */
  readonly token: Address;
  readonly feed: Address;
  /** Maximum time between two updates, in seconds. */
  readonly heartbeatSeconds: number;
  /** Change of the price that causes an update, in basis points. */
  readonly deviationBps: number;
}

/** Sources of the prices of a chain's tokens, and the names of the chain and its tokens there. */
export interface ChainPriceSources {
  /** Pools with less value on their anchor's side are ignored where prices are shown, in US dollars. Default: 10,000. */
  readonly minPoolDepthUsd?: number | undefined;
  readonly chainlink?:
    | {
        /** Reports the state of a rollup's sequencer; its feeds are not used without it. */
        readonly sequencerUptimeFeed?: Address | undefined;
        readonly feeds: readonly ChainlinkFeed[];
      }
    | undefined;
  /** Name of the chain at DefiLlama. */
  readonly defiLlama?: string | undefined;
  /** Id of the asset platform at CoinGecko. */
  readonly coinGecko?: string | undefined;
  /** Feeds of Pyth by token; an id is 0x and 64 digits in lower case. */
  readonly pyth?: readonly { readonly token: string; readonly id: string }[] | undefined;
}

/** A token whose metadata the deployment lists. */
export interface ListedToken {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly logoURI?: string | undefined;
}

export interface Chain {
  readonly slug: string;
  /** EIP-155 chain id; ids of this API for Solana (1151111081099710), Bitcoin (20000000000001) and fiat (0). Up to 2^53. */
  readonly chainId: number;
  readonly kind: ChainKind;
  readonly name: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly explorer: { readonly name: string; readonly url: string } | undefined;
  readonly logoURI?: string | undefined;
  /** Confirmations after which a transaction counts as final. */
  readonly confirmations: number;
  /** ERC-20 that wraps the native coin; the native coin trades in its pools. */
  readonly wrappedNative: Address | undefined;
  /** Tokens through which multi-hop routes are searched, the most liquid first. */
  readonly connectors: readonly Address[];
  /** Tokens pegged to the US dollar, from which on-chain prices are derived. */
  readonly dollarTokens: readonly Address[];
  readonly uniswapV2: UniswapV2Deployment | undefined;
  readonly uniswapV3: UniswapV3Deployment | undefined;
  readonly across?: AcrossDeployment | undefined;
  readonly cctp?: CctpDeployment | undefined;
  /** Verifying paymaster (EntryPoint 0.7) that sponsors user operations, where the deployment has one. */
  readonly paymaster?: Address | undefined;
  /** `CollectionRegistry` that collects fees on profit, where the deployment has one. Its controller is the service's wallet. */
  readonly collectionRegistry?: Address | undefined;
  /**
   * True for a chain of Arbitrum's Nitro stack, such as an Orbit chain: its contracts see block numbers of the parent chain.
   * By default true for the chains of Arbitrum itself.
   */
  readonly isNitro?: boolean | undefined;
  /** Asset id of the native coin at the custody service, where it differs from the default. */
  readonly custodyAsset?: string | undefined;
  /** Names of the chain at the ramps that serve it. */
  readonly ramps?: RampNetworks | undefined;
  /** Program of Jupiter's swaps on a Solana chain. */
  readonly jupiter?: { readonly program: string } | undefined;
  /** Contract of 0x for allowances and swaps, where it differs from the adapter's default. */
  readonly zeroEx?: { readonly allowanceHolder: Address } | undefined;
  /** Contract of LI.FI for allowances and transfers, where it differs from the adapter's default. */
  readonly lifi?: { readonly diamond: Address } | undefined;
  /** Contract through which deposits into strategies and withdrawals go (`contracts/StrategyRouter.sol`). */
  readonly strategyRouter?: Address | undefined;
  readonly prices?: ChainPriceSources | undefined;
  readonly tokens: readonly ListedToken[];
}

export const FIAT_CHAIN_ID = 0;
export const SOLANA_CHAIN_ID = 1_151_111_081_099_710;
export const BITCOIN_CHAIN_ID = 20_000_000_000_001;
