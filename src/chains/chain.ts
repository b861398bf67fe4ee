import type { Address } from 'viem';

/** What lives behind a chain id. `fiat` is the world outside of chains. */
export type ChainKind = 'evm' | 'solana' | 'bitcoin' | 'fiat';

/** Where a constant-product venue with Uniswap V2's interface is deployed. */
export interface UniswapV2Deployment {
  readonly factory: Address;
  readonly router: Address;
}

/** Where Uniswap V3 is deployed. `router` is SwapRouter02, `quoter` is QuoterV2. */
export interface UniswapV3Deployment {
  readonly factory: Address;
  readonly router: Address;
  readonly quoter: Address;
}

/** Where Across takes deposits and fills them: its SpokePool. */
export interface AcrossDeployment {
  readonly spokePool: Address;
  /** Runs the calls of a deposit's message on the destination chain with what was delivered. */
  readonly multicallHandler?: Address | undefined;
}

/** Where Circle's cross-chain transfer protocol, version 2, burns and mints USDC. */
export interface CctpDeployment {
  /** Circle's number of the chain. */
  readonly domain: number;
  readonly tokenMessenger: Address;
  readonly messageTransmitter: Address;
  readonly usdc: Address;
  /** True when burns here may be attested before they are final. */
  readonly fastSource: boolean;
}

/** Names of a chain at the primary and the secondary ramp. */
export interface RampNetworks {
  readonly primary?: 'POLYGON' | 'BASE' | 'ETHEREUM' | 'CELO' | 'GNOSIS' | 'SOLANA' | undefined;
  readonly secondary?: 'polygon' | 'base' | undefined;
}

/** A token that the deployment knows without asking the chain. */
export interface ListedToken {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly logoURI?: string | undefined;
}

export interface Chain {
  readonly slug: string;
  /** Chain id of the outside world; our own numbers for Solana (1151111081099710) and fiat (0). Up to 2^53. */
  readonly chainId: number;
  readonly kind: ChainKind;
  readonly name: string;
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number };
  readonly explorer: { readonly name: string; readonly url: string } | undefined;
  /** Blocks on top of a transaction after which it counts as final. */
  readonly confirmations: number;
  /** ERC-20 that wraps the native coin, in whose pools the native coin trades. */
  readonly wrappedNative: Address | undefined;
  /** Tokens through which multi-hop routes are searched, the most liquid first. */
  readonly connectors: readonly Address[];
  /** Tokens pegged to the US dollar: anchors of on-chain prices. */
  readonly dollarTokens: readonly Address[];
  readonly uniswapV2: UniswapV2Deployment | undefined;
  readonly uniswapV3: UniswapV3Deployment | undefined;
  readonly across?: AcrossDeployment | undefined;
  readonly cctp?: CctpDeployment | undefined;
  /** Verifying paymaster (EntryPoint 0.7) that sponsors user operations, where the deployment has one. */
  readonly paymaster?: Address | undefined;
  /** Name of the native coin at the custody service, for chains whose name is not known there. */
  readonly custodyAsset?: string | undefined;
  /** What the ramps call the chain, where they serve it. */
  readonly ramps?: RampNetworks | undefined;
  /** Program that Jupiter's swaps on a Solana chain call. */
  readonly jupiter?: { readonly program: string } | undefined;
  /** Contract of 0x that takes allowances and that its swaps call, where it is not at the address known to the adapter. */
  readonly zeroEx?: { readonly allowanceHolder: Address } | undefined;
  /** Contract of LI.FI that takes allowances and that its transfers call, where it is not at the address known to the adapter. */
  readonly lifi?: { readonly diamond: Address } | undefined;
  readonly tokens: readonly ListedToken[];
}

export const FIAT_CHAIN_ID = 0;
export const SOLANA_CHAIN_ID = 1_151_111_081_099_710;
export const BITCOIN_CHAIN_ID = 20_000_000_000_001;
