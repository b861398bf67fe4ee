import { createSingleFlight } from '../../async/single-flight';
import type { CustomerId } from '../../auth/principal';
import { FIAT_CHAIN_ID } from '../../chains/chain';
import { invariant } from '../../errors/invariant-error';
import type { PriceResult, TokenPriceReader } from '../../prices/token-price';
import type { Token } from '../../tokens/token';
import type { TokenBalanceDeps } from '../balances/balance-deps';
import { type ChainBalances, readBalances } from '../balances/read-balances';
import { chainsOfWallet } from '../balances/wallet-chains';
import { tokensToPrice } from './tokens-to-price';
import { valueTokens } from './value-tokens';
import type { WalletTokens } from './wallet-tokens';

export interface WalletTokensDeps extends TokenBalanceDeps {
  readonly tokenPrices: TokenPriceReader;
}

export interface WalletTokensQuery {
  readonly customerId: CustomerId;
  /** Canonical addresses. */
  readonly wallets: readonly string[];
  readonly signal: AbortSignal;
}

/** Reads the tokens of wallets, in the order of the wallets. */
export type ReadWalletTokens = (query: WalletTokensQuery) => Promise<readonly WalletTokens[]>;

const REAL: Token = {
  chainId: FIAT_CHAIN_ID,
  address: 'BRL',
  symbol: 'BRL',
  name: 'Brazilian real',
  decimals: 2,
  logoURI: undefined,
};

/**
 * Creates the reader of a process. Requests for the same wallet of a customer at the same time share one reading. The wallets of
 * a request share the calls to each chain, and their prices are read together.
 *
 * The time is that of the slowest chain plus that of the slowest price source. Each has a time limit. The reading is
 * not aborted with a request, because others may wait for it.
 */
export function createWalletTokensReader(deps: WalletTokensDeps): ReadWalletTokens {
  const flights = createSingleFlight<WalletTokens>();
  return ({ customerId, wallets, signal }) => {
    const keyOf = (wallet: string): string => `${customerId}:${wallet}`;
    const unread = [...new Set(wallets)].filter((wallet) => flights.current(keyOf(wallet)) === undefined);
    let reading: Promise<ReadonlyMap<string, WalletTokens>> | undefined;
    const read = async (wallet: string): Promise<WalletTokens> => {
      reading ??= readTogether(deps, { customerId, wallets: unread });
      const tokens = (await reading).get(wallet);
      invariant(tokens, 'a wallet was not read');
      return tokens;
    };
    return Promise.all(wallets.map((wallet) => flights.join(keyOf(wallet), () => read(wallet), signal)));
  };
}

async function readTogether(
  deps: WalletTokensDeps,
  { customerId, wallets }: Pick<WalletTokensQuery, 'customerId' | 'wallets'>,
): Promise<ReadonlyMap<string, WalletTokens>> {
  const requests = wallets.map((address) => ({ address, chains: chainsOfWallet(deps, address), includeZero: false }));
  const { signal } = new AbortController();
  const sections = await readBalances(deps, { customerId, requests, signal });
  const { byId, real } = await readPrices(deps, sections);
  return new Map(
    wallets.map((wallet, index) => [wallet, valueTokens(sections[index] ?? [], { byId, real: real?.usdE24 })]),
  );
}

async function readPrices({ tokenPrices }: WalletTokensDeps, wallets: readonly (readonly ChainBalances[])[]) {
  const entries = [...tokensToPrice(wallets)];
  const [real, ...results] = await tokenPrices.read([REAL, ...entries.map(([, token]) => token)]);
  const byId = new Map<string, PriceResult>();
  for (const [index, [id]] of entries.entries()) {
    const result = results[index];
    if (result !== undefined) byId.set(id, result);
  }
  return { byId, real: real?.price };
}
