import { type GraphQLOutputType, isLeafType, isListType, isNonNullType } from 'graphql';
import { InvariantError } from '../../../src/errors/invariant-error';
import type { Selections } from '../document/operation-tree';
import { runGeneratedProgram } from '../generated-function';
import type { DataObject } from '../plan/merge';
import type { CodeContext, ValueCode } from './code-context';
import { compositeCode } from './composite-code';
import { isPlainString, jsonOfString } from './json-string';
import { leafCode } from './leaf-code';
import { listCode } from './list-code';
import { objectBody } from './object-code';
import type { ProjectionSource } from './projection-source';

/** The state of an execution that projection uses. */
export interface ProjectionState {
  readonly introspection: Readonly<Record<string, unknown>>;
  violated: boolean;
}

/** The response data: an object, or JSON text in output `json`; null when a null reached the root. */
export type Projection = (data: DataObject, state: ProjectionState) => unknown;

/**
 * Compiles the last step of an operation: key order, type names, nullability, and removal of data that was fetched for the
 * gateway's own use.
 *
 * The code is generated because it runs for every value of every response: fixed property names are several times faster
 * than iterating over the selections. Names reach the code as JSON strings only. A value that does not fit the schema sets
 * `violated` and becomes null; `explainViolations` finds path and reason afterwards, so that the usual case tracks no paths.
 */
export function compileProjection(source: ProjectionSource): Projection {
  const functions: string[] = [];
  const constants: unknown[] = [];
  const context = createContext(source, functions, constants);
  const { rootType: type, selections } = source;
  const root = context.addFunction(objectBody(context, { type, typeName: type.name, levels: selections }));
  return runGeneratedProgram({
    body: `${functions.join('\n')}\nreturn ${root}`,
    values: { violation, plain: isPlainString, text: jsonOfString, stringify: JSON.stringify, constants },
  }) as Projection;
}

function violation(state: ProjectionState): null {
  state.violated = true;
  return null;
}

function createContext(source: ProjectionSource, functions: string[], constants: unknown[]): CodeContext {
  const names = new Map<string, string>();
  const identities = new Map<Selections, number>();
  const identityOf = (selections: Selections): number => {
    const identity = identities.get(selections) ?? identities.size;
    identities.set(selections, identity);
    return identity;
  };
  const context: CodeContext = {
    source,
    addFunction(body) {
      const name = `f${functions.length}`;
      functions.push(`function ${name}(o,s){${body}}`);
      return name;
    },
    addConstant: (value) => `constants[${constants.push(value) - 1}]`,
    once(key, write) {
      const name = names.get(key) ?? write();
      names.set(key, name);
      return name;
    },
    keyOf: (levels) => `|${levels.map(identityOf).join()}`,
    valueCode: (type, below) => valueCode(context, type, below),
  };
  return context;
}

function valueCode(context: CodeContext, type: GraphQLOutputType, below: readonly Selections[]): ValueCode {
  if (isListType(type)) return listCode(context, type.ofType, below);
  if (isLeafType(type)) return leafCode(context, type);
  if (isNonNullType(type)) throw new InvariantError(`the type ${String(type)} was not unwrapped`);
  return compositeCode(context, type, below);
}
