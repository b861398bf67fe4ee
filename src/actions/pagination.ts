import { validationError, type ValidationIssue } from '../errors/validation';

/** A page that a caller requests; absent fields take their defaults. */
export interface PageRequest {
  /** From 1. */
  readonly page?: number | null | undefined;
  readonly limit?: number | null | undefined;
}

export interface PageBounds {
  readonly page: number;
  readonly limit: number;
}

export interface Pagination extends PageBounds {
  readonly total: number;
  readonly totalPages: number;
  readonly hasMore: boolean;
}

/** Page sizes of a list. */
export interface PageLimits {
  readonly defaultLimit: number;
  readonly maximum: number;
}

/** Larger than any list; keeps the offset within the range of the database. */
const MAX_PAGE = 2 ** 31 - 1;

/** @throws VALIDATION_ERROR naming `page` and `limit` when they are out of range. */
export function pageBounds({ page, limit }: PageRequest, { defaultLimit, maximum }: PageLimits): PageBounds {
  const bounds = { page: page ?? 1, limit: limit ?? defaultLimit };
  const issues: ValidationIssue[] = [];
  if (bounds.page < 1 || bounds.page > MAX_PAGE) issues.push({ path: 'page', message: 'must be a page number from 1' });
  if (bounds.limit < 1 || bounds.limit > maximum) {
    issues.push({ path: 'limit', message: `must be between 1 and ${String(maximum)}` });
  }
  if (issues.length > 0) throw validationError(issues);
  return bounds;
}

/** Position of a page in a list of `total` items. */
export function paginationOf({ page, limit }: PageBounds, total: number): Pagination {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasMore: page < totalPages };
}
