import type { CustomerId } from '../../auth/principal';
import { invariant } from '../../errors/invariant-error';
import { sumUsd, toMicroUsd } from '../../money/usd';
import { REAL } from '../../prices/real';
import type { PriceResult, TokenPriceReader } from '../../prices/token-price';
import { createSnapshotReader } from '../../snapshots/snapshot-reader';
import type { ReadSnapshots, SnapshotDeps } from '../../snapshots/snapshot-section';
import type { SectionWorth } from '../../snapshots/snapshot-claims';
import { decodeSnapshot, encodeSnapshot } from '../../snapshots/snapshot-text';
import type { FindReceiptTokens } from '../../strategies/catalog/receipt-tokens';
import type { TokenBalanceDeps } from '../balances/balance-deps';
import { type ChainBalances, readBalances } from '../balances/read-balances';
import { chainsOfWallet } from '../balances/wallet-chains';
import { keepUnavailableChains } from './keep-unavailable-chains';
import { tokensToPrice } from './tokens-to-price';
import { valueTokens } from './value-tokens';
import type { TokenPosition, WalletTokens } from './wallet-tokens';

export interface WalletTokensDeps extends TokenBalanceDeps, SnapshotDeps {
  readonly tokenPrices: TokenPriceReader;
  readonly receiptTokens: FindReceiptTokens;
}

interface WalletTokensQuery {
  readonly customerId: CustomerId;
  /** Canonical addresses. */
  readonly wallets: readonly string[];
}

/**
 * Creates the reader of a process. The wallets of a request share the calls to each chain, and their prices are read together.
 *
 * The time of a reading is that of the slowest chain plus that of the slowest price source. Each has a time limit. The reading
 * is not aborted with a request, because others may wait for it.
 */
export const createWalletTokensReader = (deps: WalletTokensDeps): ReadSnapshots<WalletTokens> =>
  createSnapshotReader<WalletTokens>(deps, {
    name: 'tokens',
    format: 1,
    encode: encodeSnapshot,
    decode: (text) => ({ value: decodeTokens(text), isServable: true }),
    worthOf: (tokens) => walletTokensWorth(tokens, deps.receiptTokens()),
    compute(query, previous) {
      const reading = readTogether(deps, query);
      const tokensOf = async (wallet: string): Promise<WalletTokens> => {
        const tokens = (await reading).get(wallet);
        invariant(tokens, 'the tokens of a wallet were read');
        return keepUnavailableChains(tokens, previous.get(wallet));
      };
      return new Map(query.wallets.map((wallet) => [wallet, tokensOf(wallet)]));
    },
  });

/** The tokens of a chain that could not be read are missing, or have the amounts of an earlier block. */
export function walletTokensWorth(
  { positions, errors, totalUsd, totalBrl }: WalletTokens,
  receipts: ReadonlySet<string> | undefined,
): SectionWorth | undefined {
  const failed = errors.filter(({ address }) => address === undefined);
  const unread = new Set([...failed, ...positions.filter(({ stale }) => stale)].map(({ chainId }) => chainId));
  if (unread.size > 0 && positions.length === 0) return undefined;
  const shown = positions.filter(({ isHidden }) => !isHidden);
  const worth = { usd: totalUsd, brl: totalBrl, unpriced: shown.filter(lacksPrice).length };
  const apart =
    receipts === undefined
      ? undefined
      : worthWithout(
          worth,
          shown.filter(({ id }) => receipts.has(id)),
        );
  return { ...worth, apart, unread: unread.size };
}

const lacksPrice = ({ valueUsd, isListed, isPinned }: TokenPosition): boolean =>
  valueUsd === undefined && (isListed || isPinned);

/** A worth without some of its positions. */
function worthWithout(
  worth: NonNullable<SectionWorth['apart']>,
  positions: readonly TokenPosition[],
): SectionWorth['apart'] {
  const usd = sumUsd(positions.flatMap(({ valueUsd }) => valueUsd ?? []));
  const brl = positions.reduce((sum, { valueBrl }) => sum + (valueBrl ?? 0n), 0n);
  return {
    usd: toMicroUsd(worth.usd - usd),
    brl: worth.brl === undefined ? undefined : worth.brl - brl,
    unpriced: worth.unpriced - positions.filter(lacksPrice).length,
  };
}

/** Texts of this format are written by `encodeSnapshot` alone, from tokens. */
const decodeTokens = (text: string): WalletTokens => decodeSnapshot(text) as WalletTokens;

async function readTogether(
  deps: WalletTokensDeps,
  { customerId, wallets }: WalletTokensQuery,
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
