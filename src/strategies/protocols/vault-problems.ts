import { divideUp } from '../../money/divide-up';
import type { Strategy } from '../strategy';
import type { StrategyRow } from '../strategy-row';
import * as problems from './problems';
import type { Preview, ProtocolProblem, WithdrawAmount } from './protocol';
import { worthOfShares } from './share-price';

/** Loss that rounding explains: in basis points of the amount, and in base units. */
const ROUNDING_BPS = 1n;
const ROUNDING_UNITS = 2n;
const ALL_BASIS_POINTS = 10_000n;
/** Limits from here on mean that there is none. */
const UNLIMITED = 2n ** 128n;

/** A limit that the vault states; `undefined` when there is none, or when it is not trusted. */
export const trustedLimit = (
  { trustMax }: Pick<StrategyRow, 'trustMax'>,
  limit: bigint | undefined,
): bigint | undefined => (!trustMax || limit === undefined || limit >= UNLIMITED ? undefined : limit);

interface VaultDeposit {
  readonly assets: bigint;
  /** Shares that the vault promises; `undefined` when it refuses to. */
  readonly previewed: bigint | undefined;
  /** What the vault pays for `pricedShares`. */
  readonly redeemed: bigint | undefined;
  readonly limit: bigint | undefined;
  /** Balance of the underlying asset. */
  readonly tokens: bigint;
}

export function lendProblem(strategy: Strategy, deposit: VaultDeposit): ProtocolProblem | undefined {
  const { assets, previewed, limit, tokens } = deposit;
  if (limit === 0n) return problems.depositsPaused('The vault accepts no deposits at present.');
  if (limit !== undefined && assets > limit) return problems.depositLimit(strategy, limit);
  if (previewed === undefined) return problems.depositsPaused('The vault states no shares for a deposit at present.');
  if (previewed === 0n) return problems.tooSmall('The amount is too small: the vault would give no shares for it.');
  return unfairPrice(strategy, deposit) ?? (assets > tokens ? problems.tooFewTokens(strategy, tokens) : undefined);
}

/**
 * A vault whose price was inflated by a donation rounds shares down by much, and a dishonest one may hide a fee: an immediate
 * withdrawal shows both.
 */
function unfairPrice(
  strategy: Strategy,
  { assets, previewed = 0n, redeemed }: VaultDeposit,
): ProtocolProblem | undefined {
  // Without this price a dishonest vault would not be noticed.
  if (redeemed === undefined)
    return { kind: 'UNFAIR_PRICE', message: 'The vault does not state what a withdrawal would return.' };
  const { row, receipt } = strategy;
  const returned = worthOfShares(previewed, redeemed, receipt.decimals);
  const explained = divideUp(assets * (BigInt(row.knownFeeBps) + ROUNDING_BPS), ALL_BASIS_POINTS) + ROUNDING_UNITS;
  if (returned + explained >= assets) return undefined;
  return {
    kind: 'UNFAIR_PRICE',
    message:
      `An immediate withdrawal of this deposit would return ${problems.amountText(strategy, returned)} only, ` +
      'which the fees of the vault do not explain. Deposit a larger amount, or choose another strategy.',
  };
}

interface VaultHolding {
  /** Shares of the wallet. */
  readonly held: bigint;
  /** Their worth, less the fees of an exit. */
  readonly value: bigint;
}

interface VaultPreviews {
  /** Assets for the requested shares. */
  readonly assets: bigint | undefined;
  /** Shares for the requested assets. */
  readonly shares: bigint | undefined;
}

/** `undefined` when the vault does not state them. */
export function withdrawnAmounts(
  amount: WithdrawAmount,
  { held, value, assets, shares }: VaultHolding & VaultPreviews,
): Omit<Preview, 'problem'> | undefined {
  switch (amount.kind) {
    case 'all':
      return { assets: value, shares: held, isWhole: true };
    case 'shares':
      return assets === undefined ? undefined : { assets, shares: amount.shares, isWhole: amount.shares === held };
    case 'assets':
      return shares === undefined ? undefined : { assets: amount.assets, shares };
  }
}

export function withdrawProblem(
  strategy: Strategy,
  {
    assets,
    shares,
    held,
    value,
    limit,
  }: VaultHolding & Pick<Preview, 'assets' | 'shares'> & { limit: bigint | undefined },
): ProtocolProblem | undefined {
  if (held === 0n || shares > held) return problems.tooLargeForDeposit(strategy, value);
  if (assets === 0n) return problems.tooSmall('The amount is too small: the vault would pay nothing for it.');
  if (limit === undefined || assets <= limit) return undefined;
  return limit === 0n
    ? problems.withdrawalsPaused('The vault allows no withdrawals at present.')
    : problems.tooLittleLiquidity(strategy, limit);
}
