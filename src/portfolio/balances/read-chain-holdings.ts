import { resolveWithin } from '../../async/resolve-within';
import type { CustomerId } from '../../auth/principal';
import type { Chain } from '../../chains/chain';
import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import type { TokenBalanceDeps } from './balance-deps';
import { createChainCalls } from './chain-calls';
import type { WalletHoldings, WalletTokenRequest } from './holding';
import { readEvmHoldings } from './read-evm-holdings';
import { readSolanaHoldings } from './read-solana-holdings';

export interface ChainRequest {
  readonly customerId: CustomerId;
  readonly chain: Chain;
  readonly wallets: readonly WalletTokenRequest[];
  readonly signal: AbortSignal;
}

/** Balances of a wallet on a chain, or why there are none. */
export interface ChainReading {
  /** `undefined` when the chain is unavailable and was never read. */
  readonly holdings: WalletHoldings | undefined;
  /** When the balances were read, in milliseconds since 1970. */
  readonly readAt: number | undefined;
  /** Set when the chain is unavailable: the balances are the last ones that were read. */
  readonly error: ServiceError | undefined;
}

/** Time for loading the quarantined tokens: without them broken tokens are separated again. */
const QUARANTINE_TIMEOUT_MS = 250;

/**
 * Reads the wallets on one chain within its time limit. An unavailable chain has the last balances that this process has read,
 * with the error. Never throws for a chain.
 */
export async function readChainHoldings(
  deps: TokenBalanceDeps,
  request: ChainRequest,
): Promise<ReadonlyMap<string, ChainReading>> {
  const { customerId, chain, wallets } = request;
  const { chainId } = chain;
  try {
    const byWallet = await read(deps, request);
    const readAt = Date.now();
    for (const [wallet, holdings] of byWallet) deps.lastHoldings.store({ customerId, chainId, wallet }, holdings);
    return new Map([...byWallet].map(([wallet, holdings]) => [wallet, { holdings, readAt, error: undefined }]));
  } catch (cause) {
    const error = failureOf(deps, chain, cause);
    return new Map(
      wallets.map(({ address: wallet }) => {
        const last = deps.lastHoldings.find({ customerId, chainId, wallet });
        return [wallet, { holdings: last, readAt: last?.readAt, error }];
      }),
    );
  }
}

async function read(
  deps: TokenBalanceDeps,
  { customerId, chain, wallets, signal }: ChainRequest,
): Promise<ReadonlyMap<string, WalletHoldings>> {
  const { rpc, solana, brokenTokens, quarantineTimeoutMs = QUARANTINE_TIMEOUT_MS } = deps;
  const { chainId } = chain;
  if (chain.kind === 'solana') {
    if (solana === undefined) return new Map();
    return readSolanaHoldings({ solana, chain, calls: createChainCalls(deps, { customerId, chain, signal }) }, wallets);
  }
  const quarantined = await resolveWithin(brokenTokens.quarantined(chainId, customerId), quarantineTimeoutMs);
  const calls = createChainCalls(deps, { customerId, chain, signal });
  const { byWallet, broken } = await readEvmHoldings({ rpc, chain, calls }, { wallets, quarantined });
  // The balances do not wait for the database.
  void brokenTokens.strike({ customerId, chainId, tokens: broken });
  return byWallet;
}

/** A failure of our own concerns this chain only, and is logged. */
function failureOf({ log }: TokenBalanceDeps, { slug }: Chain, cause: unknown): ServiceError {
  if (isServiceError(cause)) return cause;
  log.error({ err: cause, chain: slug }, 'reading the balances of a chain failed');
  return serviceError('INTERNAL_SERVER_ERROR', {}, { cause });
}
