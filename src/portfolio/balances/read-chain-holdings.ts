import { anySignal } from '../../async/any-signal';
import { rejectOnAbort } from '../../async/race-abort';
import type { CustomerId } from '../../auth/principal';
import type { Chain } from '../../chains/chain';
import { isServiceError, serviceError, type ServiceError } from '../../errors/service-error';
import type { TokenBalanceDeps } from './balance-deps';
import type { WalletHoldings, WalletTokens } from './holding';
import { readEvmHoldings } from './read-evm-holdings';
import { readSolanaHoldings } from './read-solana-holdings';

export interface ChainRequest {
  readonly customerId: CustomerId;
  readonly chain: Chain;
  readonly wallets: readonly WalletTokens[];
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

const CHAIN_TIMEOUT_MS = 1500;

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
    const byWallet = await readWithin(deps, request);
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

async function readWithin(deps: TokenBalanceDeps, request: ChainRequest): Promise<ReadonlyMap<string, WalletHoldings>> {
  const { slug } = request.chain;
  const timeout = AbortSignal.timeout(deps.chainTimeoutMs ?? CHAIN_TIMEOUT_MS);
  const signal = anySignal(request.signal, timeout);
  const read = (): Promise<ReadonlyMap<string, WalletHoldings>> =>
    readOnce(deps, { ...request, signal }).catch((error: unknown) => {
      throw timeout.aborted ? notInTime(slug, error) : error;
    });
  try {
    return await rejectOnAbort(
      deps.guards.run(slug, read, {
        name: `${slug} RPC`,
        // A caller that disconnects says nothing about the chain.
        isOutage: (error) => !request.signal.aborted && isServiceError(error) && error.code === 'PROVIDER_UNAVAILABLE',
      }),
      signal,
    );
  } catch (error) {
    throw timeout.aborted && !isServiceError(error) ? notInTime(slug, error) : error;
  }
}

const notInTime = (slug: string, cause: unknown): ServiceError =>
  serviceError('PROVIDER_UNAVAILABLE', { provider: `${slug} RPC`, reason: 'it did not respond in time' }, { cause });

async function readOnce(
  deps: TokenBalanceDeps,
  { chain, wallets, signal }: ChainRequest,
): Promise<ReadonlyMap<string, WalletHoldings>> {
  const { chainId } = chain;
  if (chain.kind === 'solana') {
    if (deps.solana === undefined) return new Map();
    return readSolanaHoldings({ solana: deps.solana, chain }, { wallets, quarantined: new Set(), signal });
  }
  const quarantined = await deps.brokenTokens.quarantined(chainId);
  const { byWallet, broken } = await readEvmHoldings({ rpc: deps.rpc, chainId }, { wallets, quarantined, signal });
  await deps.brokenTokens.strike(chainId, broken);
  return byWallet;
}

/** A failure of our own concerns this chain only, and is logged. */
function failureOf({ log }: TokenBalanceDeps, { slug }: Chain, cause: unknown): ServiceError {
  if (isServiceError(cause)) return cause;
  log.error({ err: cause, chain: slug }, 'reading the balances of a chain failed');
  return serviceError('INTERNAL_SERVER_ERROR', {}, { cause });
}
