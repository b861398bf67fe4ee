import { validationError, type ValidationIssue } from '../../errors/validation';
import type { ChainBalances, TokenBalance } from './read-balances';

export interface BalanceFilter {
  readonly includeZero: boolean;
  readonly includeSpam: boolean;
}

/** Balances that a filter shows, with the number of those that it hides as spam. */
export interface VisibleBalances extends ChainBalances {
  readonly hiddenSpam: number;
}

/** Native coins and pinned tokens are shown whatever their balance, and pinned tokens although they look like spam. */
export function visibleBalances(section: ChainBalances, { includeZero, includeSpam }: BalanceFilter): VisibleBalances {
  const present = section.tokens.filter((token) => includeZero || isKept(token) || token.amount !== 0n);
  const shown = present.filter((token) => includeSpam || isKept(token) || !token.spam.isSpam);
  return { ...section, tokens: shown, hiddenSpam: present.length - shown.length };
}

const isKept = ({ isNative, isPinned }: TokenBalance): boolean => isNative || isPinned;

export interface TokenSlice {
  readonly limit?: number | null | undefined;
  readonly offset?: number | null | undefined;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const MAX_OFFSET = 10_000;

/** @throws VALIDATION_ERROR when `limit` (1 to 500, default 50) or `offset` (0 to 10,000, default 0) is out of range */
export function sliceTokens(tokens: readonly TokenBalance[], slice: TokenSlice): readonly TokenBalance[] {
  const [limit, offset] = [slice.limit ?? DEFAULT_LIMIT, slice.offset ?? 0];
  const issues: ValidationIssue[] = [];
  if (limit < 1 || limit > MAX_LIMIT)
    issues.push({ path: 'limit', message: `must be between 1 and ${String(MAX_LIMIT)}` });
  if (offset < 0 || offset > MAX_OFFSET) {
    issues.push({ path: 'offset', message: `must be between 0 and ${String(MAX_OFFSET)}` });
  }
  if (issues.length > 0) throw validationError(issues);
  return tokens.slice(offset, offset + limit);
}
