/** Errors in the chain of causes that are logged. */
const MAX_CAUSES = 5;
/** More than a text of the log has: it is redacted before it is cut to that length. */
const MAX_LENGTH = 5000;

/** An error in the log. */
export interface ErrorRecord {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  /** Code of the catalog, of the database or of the system. */
  readonly code?: string | number;
  readonly status?: number;
  readonly upstreamCode?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/**
 * An error with its harmless properties alone: clients of nodes, databases and third parties attach URLs with keys,
 * statements, rows and bodies to theirs. Anything that is no error stays as it is.
 */
export function errorRecord(value: unknown, depth = 0): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const { errors } = value as { readonly errors?: unknown };
  const isLast = depth >= MAX_CAUSES;
  const record: ErrorRecord = {
    type: name,
    message: message.slice(0, MAX_LENGTH),
    ...(stack === undefined ? {} : { stack: stack.slice(0, MAX_LENGTH) }),
    ...codesOf(value),
    ...(cause instanceof Error && !isLast ? { cause: errorRecord(cause, depth + 1) } : {}),
    ...(Array.isArray(errors) && !isLast ? { errors: recordsOf(errors, depth) } : {}),
  };
  return record;
}

function codesOf(error: Error): Pick<ErrorRecord, 'code' | 'status' | 'upstreamCode'> {
  const { code, status, upstreamCode } = error as Error & Readonly<Record<string, unknown>>;
  return {
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof upstreamCode === 'string' ? { upstreamCode } : {}),
  };
}

/** The first errors of an aggregate, with one cause each; other values could be anything. */
const recordsOf = (errors: readonly unknown[], depth: number): readonly unknown[] =>
  errors
    .filter((each) => each instanceof Error)
    .slice(0, MAX_CAUSES)
    .map((each) => errorRecord(each, Math.max(depth, MAX_CAUSES - 2) + 1));
