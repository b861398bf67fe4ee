import type { SourceLocation } from 'graphql';
import { type ServiceError, serviceError } from '../../src/errors/service-error';
import { reportedError } from '../../src/persistence/database-outage';
import { CATALOG } from '../../src/errors/catalog';

export type ResponsePath = readonly (string | number)[];

export interface ErrorExtensions {
  /** Code of the error catalog, or the code of a third party's subgraph. */
  readonly code: string;
  /** Structured context for the caller. */
  readonly details?: unknown;
  /** HTTP status, only where it differs from the status that the catalog pairs with the code. */
  readonly status?: number;
  readonly [name: string]: unknown;
}

/** An error as it is sent. */
export interface FormattedError {
  readonly message: string;
  readonly path?: ResponsePath;
  readonly locations?: readonly SourceLocation[];
  readonly extensions: ErrorExtensions;
}

const hasOwnStatus = (error: ServiceError): boolean => error.status !== CATALOG[error.code].status;

export function formatServiceError(error: ServiceError): FormattedError {
  const { code, details, status, message } = error;
  return {
    message,
    extensions: {
      code,
      ...(details === undefined ? {} : { details }),
      ...(hasOwnStatus(error) ? { status } : {}),
    },
  };
}

/** The error that callers see for a bug. */
export const INTERNAL_ERROR: FormattedError = formatServiceError(serviceError('INTERNAL_SERVER_ERROR'));

/** Formats a ServiceError with its code, and a database outage. Anything else is masked and passed to `reportBug`. */
export function formatThrown(error: unknown, reportBug: (error: unknown) => void): FormattedError {
  const reported = reportedError(error);
  if (reported !== undefined) return formatServiceError(reported);
  reportBug(error);
  return INTERNAL_ERROR;
}
