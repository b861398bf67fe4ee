import { createHash } from 'node:crypto';
import type { QueryPlan } from '@graphql-hive/router-query-planner';
import { type DocumentNode, type GraphQLError, type GraphQLSchema, parse, print } from 'graphql';
import { LRUCache } from 'lru-cache';
import { serviceError, type ServiceError } from '../../src/errors/service-error';
import { validationError } from '../../src/errors/validation';
import { type CompilationDeps, type CompiledOperation, compileOperation, isRefusal } from './compiled-operation';
import { compileOperationCost, type CostDeps } from './cost/operation-cost';
import { compileRootFields } from './cost/root-fields';
import { checkDocument } from './document/check-document';
import { chooseOperation } from './document/choose-operation';
import { LiteralError } from './document/literal-rule';
import { conditionVariables, variantKey } from './document/condition-variables';
import { assertDocumentWithinLimits } from './document/document-limits';
import { type OperationSource, resolveOperation } from './document/operation-tree';
import { plannedDocuments } from './document/planned-document';
import { compileVariables } from './document/variables';
import type { ExecuteKept } from './kept/kept-results';
import type { CallerOperation } from './operation-result';
import { createPlanCache, type PlanCache, type Sized } from './planner/plan-cache';
import type { PlannerProcess } from './planner/planner-process';
import { prepareOperation } from './prepared-operation';

export interface UntrustedDeps extends CompilationDeps, CostDeps {
  readonly executeKept?: ExecuteKept | undefined;
  readonly wireSchema: GraphQLSchema;
  readonly planner: Pick<PlannerProcess, 'plan'>;
  readonly planCacheSize: number;
}

export interface UntrustedOperations {
  prepare(document: DocumentNode, operationName: string | undefined, caller?: string): Promise<CallerOperation>;
}

/** Applies in addition to `planCacheSize`. The plan of the largest allowed document has about 100,000 characters. */
const PLAN_CACHE_CHARACTERS = 32 * 1024 * 1024;
/** For prepared operations, which keep the syntax tree of their document. */
const PREPARED_CACHE_BYTES = 64 * 1024 * 1024;
const BYTES_PER_TOKEN = 250;

const OUTPUT = { output: 'object', keepNull: undefined } as const;

/** Prepares callers' documents, and caches prepared operations by the text of the document, within bounds. */
export function createUntrustedOperations(deps: UntrustedDeps): UntrustedOperations {
  const { planCacheSize } = deps;
  const compiled = createPlanCache<CompiledOperation>({ entries: planCacheSize, characters: PLAN_CACHE_CHARACTERS });
  const prepared = new LRUCache<string, CallerOperation>({ max: planCacheSize, maxSize: PREPARED_CACHE_BYTES });
  const texts = new WeakMap<DocumentNode, DocumentText>(); // printing is slow, and the server reuses parsed documents
  return {
    async prepare(document, operationName, caller) {
      const { text, hash } = texts.get(document) ?? textWithinLimits(document);
      texts.set(document, { text, hash });
      const key = `${operationName ?? ''} ${hash}`;
      const cached = prepared.get(key);
      if (cached !== undefined) return cached;
      const operation = await prepareUntrusted({ ...deps, compiled }, { document, text, operationName, key, caller });
      prepared.set(key, operation, { size: text.length * 2 + (document.tokenCount ?? text.length) * BYTES_PER_TOKEN });
      return operation;
    },
  };
}

/** A document as it is printed. */
interface DocumentText {
  readonly text: string;
  /** Part of the cache keys, which would otherwise keep the text once for each plan. */
  readonly hash: string;
}

function textWithinLimits(document: DocumentNode): DocumentText {
  assertDocumentWithinLimits(document);
  const text = print(document);
  return { text, hash: createHash('sha256').update(text).digest('base64') };
}

interface UntrustedDocument {
  readonly document: DocumentNode;
  /** The document as it is printed. */
  readonly text: string;
  readonly operationName: string | undefined;
  /** Cache key of the operation. */
  readonly key: string;
  /** The caller that waits for the plan. */
  readonly caller: string | undefined;
}

async function prepareUntrusted(
  deps: UntrustedDeps & { readonly compiled: PlanCache<CompiledOperation> },
  { document: received, text, operationName, key, caller }: UntrustedDocument,
): Promise<CallerOperation> {
  const problems = checkDocument(deps.schema, received);
  if (problems.length > 0) throw invalidDocument(problems);
  // A copy without locations: they would keep the whole text of the caller, comments included, for as long as the plan.
  const document = parse(text, { noLocation: true });
  const operation = chooseOperation(document, operationName);
  if (operation === undefined) {
    throw serviceError('OPERATION_RESOLUTION_FAILURE', { reason: operationName ?? 'several operations and no name' });
  }
  const costOf = compileOperationCost(deps, { document, operation });
  const conditions = conditionVariables(document);
  const compiledFor = (variables: Readonly<Record<string, unknown>>, planFor: string | undefined) =>
    deps.compiled.get(`${variantKey(conditions, variables)} ${key}`, () =>
      compile(deps, { document, operation, variables }, planFor),
    );
  // Without conditions there is a single plan, and a document that cannot be planned is refused immediately.
  if (conditions.length === 0) await compiledFor({}, caller);
  const executable = prepareOperation({
    kind: operation.operation,
    coerce: compileVariables(deps.wireSchema, operation),
    compiledFor: (variables, context) => compiledFor(variables, context.caller),
    executeKept: deps.executeKept,
    log: deps.log,
  });
  return { ...executable, costOf, rootFieldsOf: compileRootFields(document, operation) };
}

/** The validator's last error after the maximum number of others. */
const isAbort = ({ message }: GraphQLError): boolean => message.startsWith('Too many validation errors');

/** VALIDATION_ERROR when only literals are invalid, as if they were variables; otherwise GRAPHQL_VALIDATION_FAILED. */
function invalidDocument(problems: readonly GraphQLError[]): ServiceError {
  const literals = problems.filter((problem) => problem instanceof LiteralError);
  const others = problems.filter((problem) => !(problem instanceof LiteralError) && !isAbort(problem));
  if (others.length === 0) return validationError(literals.map(({ issue }) => issue));
  const errors = problems.map(({ message, locations }) => ({ message, locations }));
  const reason = problems.map(({ message }) => message).join(' ');
  return serviceError('GRAPHQL_VALIDATION_FAILED', { reason }, { details: { errors } });
}

async function compile(
  deps: UntrustedDeps,
  source: OperationSource,
  caller: string | undefined,
): Promise<Sized<CompiledOperation>> {
  const tree = resolveOperation(source, deps.facts);
  const attempt = async (text: string | undefined): Promise<Sized<CompiledOperation>> => {
    const planText = text === undefined ? '{}' : await deps.planner.plan(text, caller);
    const { node } = JSON.parse(planText) as Partial<QueryPlan>;
    const size = planText.length + (text?.length ?? 0) + 1;
    return { value: compileOperation(deps, { tree, node }, OUTPUT), size };
  };
  const [first, second] = plannedDocuments(deps, tree);
  try {
    return await attempt(first);
  } catch (error) {
    if (second === undefined || !isRefusal(error)) throw error;
    return attempt(second);
  }
}
