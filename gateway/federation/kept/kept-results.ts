import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../../../src/auth/request-context';
import type { OperationResult } from '../operation-result';
import type { KeptField, KeptSelection, RequestedField } from './kept-selection';

/** Version of everything that the result of an operation is made of. */
export interface ResultVersion {
  readonly version: string;
  /** True when the data should be computed again: one request executes the operation, the others get the kept result. */
  readonly isDue: boolean;
}

/** A root field whose results are kept, and the versions of its data. */
export interface KeptResultsOptions extends KeptField {
  /** `undefined` when the operation has to be executed. Never older than the data that an execution reads afterwards. */
  versionOf(
    request: { readonly root: RequestedField; readonly fields: readonly RequestedField[] },
    context: RequestContext,
  ): Promise<ResultVersion | undefined>;
}

export interface KeptExecution {
  readonly selection: KeptSelection;
  /** Coerced. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
  readonly execute: () => OperationResult | Promise<OperationResult>;
}

export type ExecuteKept = (execution: KeptExecution) => Promise<OperationResult>;

/** Characters of the kept results of a process. An object counts several times its text. */
const MAX_SIZE = 64_000_000;
const OBJECT_SIZE_FACTOR = 5;
/** Bounds the age of what the version does not cover. */
const MAX_AGE_MS = 1000;
/** Longer variables are not those of the fields that are kept. */
const MAX_KEY_LENGTH = 2000;

interface Kept {
  readonly version: string;
  readonly result: OperationResult;
  readonly size: number;
}

/**
 * Keeps results of operations in memory for at most a second. A kept result is returned to the same principal, for the same
 * operation and variables, while its version stays the same. Requests at the same time share one execution for each version.
 * Results with errors are not kept.
 */
export function createKeptResults(options: Pick<KeptResultsOptions, 'versionOf'>): ExecuteKept {
  const results = new LRUCache<string, Kept>({
    maxSize: MAX_SIZE,
    sizeCalculation: ({ size }) => size,
    ttl: MAX_AGE_MS,
    ttlResolution: 0,
    perf: Date,
  });
  const running = new Map<string, Promise<OperationResult>>();

  const executeOnce = async (key: string, version: string, { execute, selection }: KeptExecution) => {
    const place = `${version} ${key}`;
    // Others may have failed because of their own deadline: one of those that have waited executes again, for all of them.
    for (let turn = 0; turn < 2 && running.has(place); turn += 1) {
      const shared = await running.get(place)?.catch(() => undefined);
      if (shared !== undefined && shared.errors === undefined) return shared;
    }
    const execution = Promise.resolve(execute()).finally(() => {
      if (running.get(place) === execution) running.delete(place);
    });
    running.set(place, execution);
    const result = await execution;
    if (result.errors === undefined) results.set(key, { version, result, size: sizeOf(result, selection) });
    return result;
  };

  return async (execution) => {
    const { selection, variables, context } = execution;
    const key = keyOf(execution);
    // Without a version the operation is executed, which reports what failed.
    const found =
      key.length > MAX_KEY_LENGTH
        ? undefined
        : await options.versionOf(selection.requested(variables), context).catch(() => undefined);
    if (found === undefined) return execution.execute();
    const { version, isDue } = found;
    const known = results.get(key);
    const isRefreshed = !isDue || running.has(`${version} ${key}`);
    if (known?.version === version && isRefreshed) return known.result;
    return executeOnce(key, version, execution);
  };
}

const keyOf = ({ selection, variables, context: { principal } }: KeptExecution): string =>
  `${String(selection.id)} ${JSON.stringify([principal, variables], bigintsAsText)}`;

const bigintsAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${String(value)}n` : value);

/** Freezes the value of the root field: responses share it, and the text of a frozen value is rendered once. */
function sizeOf({ data }: OperationResult, { responseKey }: KeptSelection): number {
  if (typeof data === 'string') return 1 + data.length;
  const value: unknown = (data as Readonly<Record<string, unknown>> | null | undefined)?.[responseKey];
  Object.freeze(value);
  return 1 + JSON.stringify(value ?? null).length * OBJECT_SIZE_FACTOR;
}
