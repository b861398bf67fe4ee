import type { ErrorCode } from '../../src/errors/catalog';

const AMOUNT_ERRORS = [
  'INVALID_AMOUNT_PARAMS',
  'MISSING_AMOUNT_PARAMS',
  'INVALID_SLIPPAGE',
  'AMOUNT_IN_TOO_LOW',
  'AMOUNT_IN_TOO_HIGH',
] as const satisfies readonly ErrorCode[];

const PROVIDER_ERRORS = [
  'PROVIDER_NOT_FOUND',
  'PROVIDER_UNAVAILABLE',
  'INVALID_PREFERRED_PROVIDER',
  'PREFERRED_PROVIDER_NOT_ELIGIBLE',
  'PREFERRED_PROVIDER_QUOTE_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

export const QUOTE_ERRORS = [
  'NO_ROUTE_FOUND',
  'QUOTE_GENERATION_FAILED',
  ...AMOUNT_ERRORS,
  ...PROVIDER_ERRORS,
  'INVALID_RAMP_PROVIDER',
  'FEE_SPONSORSHIP_NOT_ALLOWED',
  'QUOTE_EXPIRED',
  'BRIDGE_API_ERROR',
  'BYTECODE_GENERATION_FAILED',
] as const satisfies readonly ErrorCode[];

export const BYTECODE_ERRORS = [
  'QUOTE_NOT_FOUND',
  'QUOTE_EXPIRED',
  'QUOTE_VALIDATION_ERROR',
  'PIX_THIRD_PARTY_QUOTE_MISMATCH',
  'MISSING_PIX_KEY',
  'AMOUNT_IN_TOO_LOW',
  'AMOUNT_IN_TOO_HIGH',
  'FEE_SPONSORSHIP_NOT_ALLOWED',
  'PROVIDER_NOT_FOUND',
  'PROVIDER_UNAVAILABLE',
  'BRIDGE_API_ERROR',
  'BYTECODE_GENERATION_FAILED',
  'SWAP_EXECUTION_FAILED',
] as const satisfies readonly ErrorCode[];

export const TRANSFER_ERRORS = [
  'TRANSFER_VALIDATION_FAILED',
  'PROVIDER_UNAVAILABLE',
  'BYTECODE_GENERATION_FAILED',
] as const satisfies readonly ErrorCode[];

/** What is wrong with a transaction that a caller tells of. */
const TRANSACTION_ERRORS = [
  'INVALID_TX_HASH',
  'TX_NOT_FOUND',
  'TX_NOT_MINED',
  'TX_REVERTED',
  'TX_UPDATE_FAILED',
  'PROVIDER_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];

export const SWAP_STATUS_ERRORS = [
  'QUOTE_NOT_FOUND',
  'DEPOSIT_NOT_FOUND',
  ...TRANSACTION_ERRORS,
] as const satisfies readonly ErrorCode[];

export const REPORT_TRANSACTION_ERRORS = [
  'ACTION_NOT_FOUND',
  ...TRANSACTION_ERRORS,
] as const satisfies readonly ErrorCode[];
