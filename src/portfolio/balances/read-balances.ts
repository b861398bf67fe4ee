import type { CustomerId } from '../../auth/principal';
import type { Chain } from '../../chains/chain';
import type { ServiceError } from '../../errors/service-error';
import { formatBaseUnits } from '../../money/base-units';
import { balanceAge } from './balance-age';
import type { TokenBalanceDeps } from './balance-deps';
import { type CandidateTokens, findCandidateTokens, tokensOnChain } from './candidate-tokens';
import { describeTokens, type TokenDescription } from './describe-tokens';
import type { BalanceProblem, Holding } from './holding';
import { type ChainReading, readChainHoldings } from './read-chain-holdings';
import { CLEAN, type SpamAssessment } from './spam-score';

/** A request for the balances of a wallet on some chains. */
export interface BalanceRequest {
  /** Canonical address. */
  readonly address: string;
  readonly chains: readonly Chain[];
  /** Whether tokens are described that the wallet does not hold. */
  readonly includeZero: boolean;
}

/** Balance of one token, or why it is missing. */
export interface TokenBalance {
  readonly chainId: number;
  /** Canonical address; NATIVE_TOKEN for the native coin of an EVM chain, the mint of wrapped SOL for SOL. */
  readonly address: string;
  readonly isNative: boolean;
  readonly symbol: string;
  readonly name: string;
  /** `undefined` when the token has none, or they could not be read. */
  readonly decimals: number | undefined;
  readonly logoURI: string | undefined;
  readonly isListed: boolean;
  readonly isPinned: boolean;
  /** In base units; `undefined` exactly when there is a problem. */
  readonly amount: bigint | undefined;
  /** Exact decimal; `undefined` without an amount or decimals. */
  readonly humanized: string | undefined;
  readonly problem: BalanceProblem | undefined;
  readonly spam: SpamAssessment;
}

/** The block of balances. */
export interface BalanceBlock {
  readonly blockNumber: bigint;
  readonly time: Date;
}

/** Balances of one wallet on one chain. */
export interface ChainBalances {
  readonly chainId: number;
  /** Slug of the chain. */
  readonly chain: string;
  /** The block of all balances; `undefined` when there are none. */
  readonly asOf: BalanceBlock | undefined;
  /** True when the chain is unavailable, and the balances are the last known ones, or when their block is old. */
  readonly isStale: boolean;
  /** Seconds since their block, and at least since they were read; `undefined` when there are none. */
  readonly ageSeconds: number | undefined;
  /** Why the chain could not be read. */
  readonly error: ServiceError | undefined;
  /** True when the wallet may hold tokens that were not read. */
  readonly isTruncated: boolean;
  /** Native coin, then pinned, then listed tokens, then the others. Spam and balances of 0 included. */
  readonly tokens: readonly TokenBalance[];
}

interface BalancesQuery {
  readonly customerId: CustomerId;
  readonly requests: readonly BalanceRequest[];
  readonly signal: AbortSignal;
}

/**
 * Balances of wallets on their chains, in the order of the requests. All wallets share the calls to a chain. An unavailable
 * chain has an error of its own and leaves the others intact.
 */
export async function readBalances(
  deps: TokenBalanceDeps,
  { customerId, requests, signal }: BalancesQuery,
): Promise<readonly (readonly ChainBalances[])[]> {
  const wallets = [...new Set(requests.map(({ address }) => address))];
  const candidates = await findCandidateTokens(deps, { customerId, wallets });
  const chains = [...new Set(requests.flatMap((request) => request.chains))];
  const sections = await Promise.all(
    chains.map(async (chain) => {
      const own = requests.filter((request) => request.chains.includes(chain));
      return [chain, await readChain(deps, { customerId, chain, requests: own, candidates, signal })] as const;
    }),
  );
  const byChain = new Map(sections);
  return requests.map((request) => request.chains.flatMap((chain) => byChain.get(chain)?.get(request.address) ?? []));
}

interface ChainQuery extends BalancesQuery {
  readonly chain: Chain;
  readonly candidates: ReadonlyMap<string, CandidateTokens>;
}

async function readChain(
  deps: TokenBalanceDeps,
  { customerId, chain, requests, candidates, signal }: ChainQuery,
): Promise<ReadonlyMap<string, ChainBalances>> {
  const wallets = [...new Set(requests.map(({ address }) => address))];
  const readings = await readChainHoldings(deps, {
    customerId,
    chain,
    wallets: wallets.map((address) => {
      const found = candidates.get(address);
      return { address, tokens: tokensOnChain(chain, found), isTruncated: found?.isTruncated ?? false };
    }),
    signal,
  });
  const withZero = new Set(requests.filter(({ includeZero }) => includeZero).map(({ address }) => address));
  const isDescribed = (wallet: string, { amount }: Holding): boolean => amount !== 0n || withZero.has(wallet);
  const pinned = new Map(wallets.map((wallet) => [wallet, pinnedOn(chain, candidates.get(wallet))]));
  const described = new Set(
    wallets.flatMap((wallet) => {
      const held = (readings.get(wallet)?.holdings?.holdings ?? []).filter(({ isNative }) => !isNative);
      const shown = held.filter((holding) => isDescribed(wallet, holding) || pinned.get(wallet)?.has(holding.token));
      return shown.map(({ token }) => token);
    }),
  );
  // All wallets share the calls to the chain.
  const isAvailable = [...readings.values()].every(({ error }) => error === undefined);
  const descriptions = await describeTokens(deps, { chain, addresses: [...described], isAvailable, signal });
  return new Map(
    wallets.map((wallet) => {
      const context = { chain, descriptions, pinned: pinned.get(wallet) ?? new Set<string>() };
      return [wallet, sectionOf(readings.get(wallet), context)];
    }),
  );
}

const pinnedOn = ({ chainId }: Chain, candidates: CandidateTokens | undefined): ReadonlySet<string> =>
  new Set((candidates?.pinned ?? []).filter((token) => token.chainId === chainId).map(({ token }) => token));

interface SectionContext {
  readonly chain: Chain;
  readonly descriptions: ReadonlyMap<string, TokenDescription>;
  readonly pinned: ReadonlySet<string>;
}

function sectionOf(reading: ChainReading | undefined, context: SectionContext): ChainBalances {
  const { chainId, slug } = context.chain;
  const { holdings, error } = reading ?? {};
  const tokens = (holdings?.holdings ?? []).flatMap((holding) => balanceOf(holding, context) ?? []);
  const asOf = holdings === undefined ? undefined : blockOf(holdings.block);
  return {
    chainId,
    chain: slug,
    asOf,
    ...ageOf(asOf, reading),
    error,
    isTruncated: holdings?.isTruncated ?? false,
    tokens: tokens.sort((one, other) => rankOf(one) - rankOf(other)),
  };
}

function ageOf(
  asOf: BalanceBlock | undefined,
  reading: ChainReading | undefined,
): Pick<ChainBalances, 'isStale' | 'ageSeconds'> {
  if (asOf === undefined) return { isStale: false, ageSeconds: undefined };
  const now = Date.now();
  const isAvailable = reading?.error === undefined;
  return balanceAge({ blockTime: asOf.time, readAt: reading?.readAt ?? now, isAvailable }, now);
}

const blockOf = ({ number, timestamp }: { readonly number: bigint; readonly timestamp: bigint }): BalanceBlock => ({
  blockNumber: number,
  time: new Date(Number.parseInt(timestamp.toString(), 10) * 1000),
});

/** The sort is stable: within a rank the order of the lists stays. */
function rankOf({ isNative, isPinned, isListed }: TokenBalance): number {
  if (isNative) return 0;
  if (isPinned) return 1;
  return isListed ? 2 : 3;
}

/** `undefined` for tokens that are not described, because the wallet does not hold them. */
function balanceOf(holding: Holding, { chain, descriptions, pinned }: SectionContext): TokenBalance | undefined {
  const { token, isNative, amount, problem } = holding;
  const description = isNative ? nativeCoin(chain) : descriptions.get(token);
  if (description === undefined) return undefined;
  const { symbol, name, logoURI, isListed, spam } = description;
  const decimals = description.decimals ?? holding.decimals;
  return {
    chainId: chain.chainId,
    address: token,
    isNative,
    symbol,
    name,
    decimals,
    logoURI,
    isListed,
    isPinned: !isNative && pinned.has(token),
    amount,
    humanized: amount === undefined || decimals === undefined ? undefined : formatBaseUnits(amount, decimals),
    problem,
    spam,
  };
}

const nativeCoin = ({ nativeCurrency: { symbol, name, decimals } }: Chain): TokenDescription => ({
  symbol,
  name,
  decimals,
  logoURI: undefined,
  isListed: true,
  spam: CLEAN,
});
