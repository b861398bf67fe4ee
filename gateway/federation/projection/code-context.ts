import type { GraphQLOutputType } from 'graphql';
import type { Selections } from '../document/operation-tree';
import type { ProjectionSource } from './projection-source';

/** Code that completes a value which is neither null nor undefined. */
export interface ValueCode {
  /** Expression over the name of a variable. */
  readonly expression: (variable: string) => string;
  /** True when the expression can be null: the value does not fit the schema, and `violation(s)` was called. */
  readonly mayFail: boolean;
  /** True when the expression does nothing but to write the JSON text of what is nearly always a string. */
  readonly isText: boolean;
}

/** What the writers of one projection have in common. */
export interface CodeContext {
  readonly source: ProjectionSource;
  /** Adds a function `(o, s)` with this body and returns its name. */
  addFunction(body: string): string;
  /** Makes a value available to the code and returns the expression for it. */
  addConstant(value: unknown): string;
  /** The name of the function that `write` adds, written once for each `key`. */
  once(key: string, write: () => string): string;
  /** Identifies selections; equal only for the same ones. */
  keyOf(levels: readonly Selections[]): string;
  /** Code for a type without its non-null wrapper. */
  valueCode(type: GraphQLOutputType, below: readonly Selections[]): ValueCode;
}
