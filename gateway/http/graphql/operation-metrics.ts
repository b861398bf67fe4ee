import { type DocumentNode, getOperationAST } from 'graphql';
import { type Metrics, secondsSince } from '../../../src/telemetry/metrics/metrics';

interface ExecutedOperation {
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
}

/** `data` is absent when nothing was executed. */
interface Outcome {
  readonly data?: unknown;
  readonly errors?: readonly unknown[] | undefined;
}

/** Measures the execution of an operation over HTTP. */
export async function measureOperation<Result extends Outcome>(
  metrics: Metrics | undefined,
  { document, operationName }: ExecutedOperation,
  execute: () => Promise<Result>,
): Promise<Result> {
  if (metrics === undefined) return execute();
  const startedAt = performance.now();
  const result = await execute();
  const type = getOperationAST(document, operationName)?.operation ?? 'unknown';
  metrics.observe('graphqlOperation', { type, outcome: outcomeOf(result) }, secondsSince(startedAt));
  return result;
}

function outcomeOf({ data, errors }: Outcome): string {
  if (data === undefined) return 'refused';
  if (errors === undefined) return 'ok';
  return data === null ? 'failed' : 'partial';
}

/** Counts the root fields of an operation that is about to be executed: names of the schema, once for each alias. */
export function countRootFields(metrics: Metrics | undefined, fields: readonly string[]): void {
  if (metrics !== undefined) for (const field of fields) metrics.count('graphqlField', { field });
}
