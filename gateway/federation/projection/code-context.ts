import type { GraphQLOutputType } from 'graphql';
import type { Selections } from '../document/operation-tree';
import type { ProjectionSource } from './projection-source';

/** Code that completes a value other than null and undefined. */
export interface ValueCode {
  /** Expression over the name of a variable. */
  readonly expression: (variable: string) => string;
  /** True when the expression can be null, after a call of `violation(s)` for a value that does not fit the schema. */
  readonly mayFail: boolean;
  /** True when the expression only writes JSON text of a value that is usually a string. */
  readonly isText: boolean;
}

/** Shared state of the code generators of one projection. */
export interface CodeContext {
  readonly source: ProjectionSource;
  /** Adds a function `(o, s)` with this body and returns its name. */
  addFunction(body: string): string;
  /** Makes a value available to the code and returns the expression for it. */
  addConstant(value: unknown): string;
  /** Returns the name of the function that `write` adds, calling `write` once for each `key`. */
  once(key: string, write: () => string): string;
  /** Key of selections, equal only for identical ones. */
  keyOf(levels: readonly Selections[]): string;
  /** Code for a type without its non-null wrapper. */
  valueCode(type: GraphQLOutputType, below: readonly Selections[]): ValueCode;
}
