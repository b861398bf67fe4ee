import type { Logger } from 'pino';
import { contextOfEvent, type RequestContext } from '../../src/auth/request-context';
import { serviceError } from '../../src/errors/service-error';
import { validationError } from '../../src/errors/validation';
import { abortable } from './abortable';
import type { CompiledOperation } from './compiled-operation';
import { withinDeadline } from './deadline';
import type { CoercedVariables } from './document/variables';
import { formatServiceError, formatThrown } from './formatted-error';
import type { ExecuteKept } from './kept/kept-results';
import { isPromise, type MaybePromise, whenDone } from './maybe-promise';
import type { OperationResult, PreparedOperation } from './operation-result';
import type { ExecutionState } from './plan/execution-state';
import type { SubgraphResponse } from './subgraph/subgraph-response';
import type { SubgraphResult } from './subgraph/subgraph-transport';

type Values = Readonly<Record<string, unknown>>;

export interface PreparedOperationParts {
  readonly kind: PreparedOperation['kind'];
  readonly coerce: (input: unknown) => CoercedVariables;
  /** Returns the operation with its conditions resolved by these variables. */
  readonly compiledFor: (values: Values, context: RequestContext) => MaybePromise<CompiledOperation>;
  /** Executes operations whose results may be kept. */
  readonly executeKept: ExecuteKept | undefined;
  readonly log: Logger;
}

const NO_INTROSPECTION: Values = Object.freeze({});

export function prepareOperation(parts: PreparedOperationParts): PreparedOperation {
  const { kind, coerce, compiledFor, executeKept } = parts;
  const failed = (error: unknown, { requestId }: RequestContext): OperationResult => ({
    errors: [formatThrown(error, (bug) => logBug(parts, bug, requestId))],
  });
  return {
    kind,
    execute(input, context) {
      const coerced = coerce(input);
      if (coerced.issues !== undefined) return refused(coerced.issues);
      try {
        const compiled = planWithin(context, compiledFor(coerced.values, context));
        const result = whenDone(compiled, (ready): MaybePromise<OperationResult> => {
          const execute = () => run(ready, newState(ready, { coerced, input, context }));
          if (executeKept === undefined || ready.kept === undefined) return execute();
          return executeKept({ selection: ready.kept, variables: coerced.values, context, execute });
        });
        return isPromise(result) ? result.catch((error: unknown) => failed(error, context)) : result;
      } catch (error) {
        return failed(error, context);
      }
    },
    async *subscribe(input, context) {
      const coerced = coerce(input);
      if (coerced.issues !== undefined) {
        yield refused(coerced.issues);
        return;
      }
      try {
        const compiled = await planWithin(context, compiledFor(coerced.values, context));
        yield* results(compiled, () => newState(compiled, { coerced, input, context: contextOfEvent(context) }));
      } catch (error) {
        yield failed(error, context);
      }
    },
  };
}

/** Includes the time in the planner's queue. */
const PLAN_WAIT_MS = 30_000;

const planWithin = (
  { lifetime }: RequestContext,
  compiled: MaybePromise<CompiledOperation>,
): MaybePromise<CompiledOperation> =>
  isPromise(compiled) ? withinDeadline(compiled, { timeoutMs: PLAN_WAIT_MS, lifetime }) : compiled;

function logBug({ log, kind }: PreparedOperationParts, err: unknown, requestId: string): void {
  log.error({ requestId, err, kind }, 'an operation failed');
}

const refused = (issues: Parameters<typeof validationError>[0]): OperationResult => ({
  errors: [formatServiceError(validationError(issues))],
});

interface StateParts {
  readonly coerced: { readonly values: Values };
  readonly input: unknown;
  readonly context: RequestContext;
}

function newState({ introspect }: CompiledOperation, { coerced, input, context }: StateParts): ExecutionState {
  return {
    variables: coerced.values,
    context,
    data: {},
    introspection: introspect === undefined ? NO_INTROSPECTION : introspect((input ?? {}) as Values),
    errors: [],
    violated: false,
    repeatedLookups: 0,
  };
}

function run(compiled: CompiledOperation, state: ExecutionState): MaybePromise<OperationResult> {
  if (compiled.plan.subscription !== undefined) {
    return {
      errors: [formatServiceError(serviceError('GRAPHQL_VALIDATION_FAILED', { reason: 'a subscription is a stream' }))],
    };
  }
  const running = compiled.plan.run(state);
  return running === undefined ? compiled.finish(state) : running.then(() => compiled.finish(state));
}

/** Each event starts with empty data, and the rest of the plan runs for each event. */
async function* results(
  compiled: CompiledOperation,
  freshState: () => ExecutionState,
): AsyncGenerator<OperationResult> {
  const { subscription } = compiled.plan;
  const first = freshState();
  if (subscription === undefined) {
    yield await run(compiled, first);
    return;
  }
  const opened = await subscription.open(first);
  if (!isStream(opened)) {
    subscription.absorb(first, opened);
    yield compiled.finish(first);
    return;
  }
  for await (const event of abortable(opened, first.context.signal)) {
    const state = freshState();
    subscription.absorb(state, event);
    await compiled.plan.run(state);
    yield compiled.finish(state);
  }
}

const isStream = (result: SubgraphResult): result is AsyncIterable<SubgraphResponse> => Symbol.asyncIterator in result;
