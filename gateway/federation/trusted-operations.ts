import type { QueryPlanner } from '@graphql-hive/router-query-planner';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import {
  type CompilationDeps,
  type CompiledOperation,
  compileOperation,
  isRefusal,
  type OutputOptions,
} from './compiled-operation';
import { checkDocument } from './document/check-document';
import { chooseOperation } from './document/choose-operation';
import { conditionVariables, variantKey } from './document/condition-variables';
import { type OperationSource, resolveOperation } from './document/operation-tree';
import { plannedDocuments } from './document/planned-document';
import { compileVariables } from './document/variables';
import type { PreparedOperation } from './operation-result';
import { prepareOperation } from './prepared-operation';
import type { ExecuteKept } from './kept/kept-results';
import type { KeepNull } from './projection/projection-source';

export interface TrustedOptions {
  readonly operationName?: string;
  /** `json` returns the data as JSON text. Default: `object`. */
  readonly output?: 'json' | 'object';
  /** Without it all nulls are kept. With it, nulls are omitted unless it returns true or they are inside lists. */
  readonly keepNull?: KeepNull;
  /** True when the caller of `execute` has already checked the variables against their types. */
  readonly variablesAreChecked?: boolean;
}

export interface TrustedDeps extends CompilationDeps {
  readonly executeKept?: ExecuteKept | undefined;
  readonly wireSchema: GraphQLSchema;
  readonly planner: Pick<QueryPlanner, 'plan'>;
}

/**
 * Prepares a document of the service itself. It is planned in this process, at its first execution with each combination of
 * its conditions: the documents of all routes together take longer than a start should.
 *
 * @throws InvariantError when the document is invalid. Its execution fails with DOCUMENT_REFUSED when its plan would return
 *   wrong values.
 */
export function prepareTrustedOperation(
  deps: TrustedDeps,
  document: DocumentNode,
  options: TrustedOptions,
): PreparedOperation {
  const [problem] = checkDocument(deps.schema, document);
  if (problem !== undefined) throw new InvariantError(`a document of the service is invalid: ${problem.message}`);
  const operation = chooseOperation(document, options.operationName);
  if (operation === undefined) throw new InvariantError('a document of the service lacks the named operation');
  const output = { output: options.output ?? 'object', keepNull: options.keepNull } as const;
  const compile = (variables: Readonly<Record<string, unknown>>): CompiledOperation =>
    compileTrusted(deps, { document, operation, variables }, output);
  const conditions = conditionVariables(document);
  const variants = new Map<string, CompiledOperation>();
  const variantFor = (values: Readonly<Record<string, unknown>>): CompiledOperation => {
    const key = variantKey(conditions, values);
    const variant = variants.get(key) ?? compile(values);
    variants.set(key, variant);
    return variant;
  };
  return prepareOperation({
    kind: operation.operation,
    coerce: compileVariables(deps.wireSchema, operation, options.variablesAreChecked),
    compiledFor: variantFor,
    executeKept: deps.executeKept,
    log: deps.log,
  });
}

function compileTrusted(deps: TrustedDeps, source: OperationSource, output: OutputOptions): CompiledOperation {
  const { planner, facts } = deps;
  const tree = resolveOperation(source, facts);
  const attempt = (text: string | undefined): CompiledOperation => {
    const node = text === undefined ? undefined : planner.plan(text, undefined, new Set(), 0).node;
    return compileOperation(deps, { tree, node }, output);
  };
  const [first, second] = plannedDocuments(deps, tree);
  try {
    return attempt(first);
  } catch (error) {
    if (second === undefined || !isRefusal(error)) throw error;
    return attempt(second);
  }
}
