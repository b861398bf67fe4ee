import { CATALOG, type CatalogRow, type ErrorCode } from './catalog';

type ParameterName<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never;

/** The parameters of a code's message. A missing or misspelt one does not compile. */
export type ErrorParameters<Code extends ErrorCode> = Readonly<
  Record<ParameterName<(typeof CATALOG)[Code]['message']>, string | number>
>;

export interface ServiceErrorOptions {
  /** Extra structured context for the caller (`error.details`). */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Status that replaces the one of the catalog, for the few codes that have two in the API specification. */
  readonly status?: number;
  /** The underlying error. Logged, never part of the response. */
  readonly cause?: unknown;
}

/** A failure that is reported to the caller with a code of the catalog. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ServiceErrorOptions,
  ) {
    super(message, { cause: options.cause });
    const row: CatalogRow = CATALOG[code];
    this.status = options.status ?? row.status;
    this.retryable = row.retryable;
    this.details = options.details;
  }
}

type ServiceErrorArguments<Code extends ErrorCode> = [ParameterName<(typeof CATALOG)[Code]['message']>] extends [never]
  ? [parameters?: Readonly<Record<string, never>>, options?: ServiceErrorOptions]
  : [parameters: ErrorParameters<Code>, options?: ServiceErrorOptions];

/** Completes a row of the catalog: `throw serviceError('QUOTE_NOT_FOUND', { quoteId })`. */
export function serviceError<Code extends ErrorCode>(
  code: Code,
  ...[parameters, options]: ServiceErrorArguments<Code>
): ServiceError {
  const values: Readonly<Record<string, string | number>> = parameters ?? {};
  const message = CATALOG[code].message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  return new ServiceError(code, message, options ?? {});
}

export const isServiceError = (error: unknown): error is ServiceError => error instanceof ServiceError;
