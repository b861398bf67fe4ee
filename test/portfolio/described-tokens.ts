import { sumUsd, toMicroUsd } from '../../src/money/usd';
import type { TokenPosition, WalletTokens } from '../../src/portfolio/overview/wallet-tokens';

/** A token of a wallet that is worth so many dollars, and five times as many reais. */
export const describedPosition = (
  chainId: number,
  dollars: bigint,
  options: Partial<TokenPosition> = {},
): TokenPosition => ({
  id: `${String(chainId)}:a`,
  chainId,
  address: 'a',
  isNative: false,
  isListed: true,
  isPinned: false,
  symbol: 'A',
  name: 'A',
  decimals: 6,
  logoURI: undefined,
  humanized: '1',
  amount: 1n,
  spam: { isSpam: false, score: 0, reasons: [] },
  isHidden: false,
  price: undefined,
  missingPrice: undefined,
  valueUsd: toMicroUsd(dollars * 1_000_000n),
  valueBrl: dollars * 5_000_000n,
  stale: false,
  asOf: new Date(0),
  ...options,
});

/** The tokens of a wallet, with errors of the chains that are unavailable. */
export const describedTokens = (
  positions: readonly TokenPosition[],
  unavailable: readonly number[] = [],
): WalletTokens => ({
  positions,
  totalUsd: sumUsd(positions.flatMap(({ valueUsd }) => valueUsd ?? [])),
  totalBrl: 0n,
  stalePositions: 0,
  oldestAsOf: undefined,
  errors: unavailable.map((chainId) => ({ code: 'PROVIDER_UNAVAILABLE', message: 'm', chainId, address: undefined })),
  isTruncated: false,
});
