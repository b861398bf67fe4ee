import { invariant } from '../../../src/errors/invariant-error';
import { serviceError } from '../../../src/errors/service-error';
import { fractionOf } from './random';

/** How resolvers fail during one operation, in the monolith and in the subgraphs. */
export interface FailureInjection {
  /** Seed of every choice. */
  salt: string;
  /** Share of fields that throw. The same share of non-null fields resolves to null. */
  failures: number;
  /** True when fields resolve to promises. All or none: graphql-js leaves rejections unhandled when they are mixed. */
  async: boolean;
}

export type Source = Readonly<Record<string, unknown>>;
export interface Arguments {
  readonly [name: string]: unknown;
  readonly lang?: string;
  readonly style?: string;
  readonly of?: string;
  readonly x?: number;
}
export type Resolver = (source: Source, given: Arguments) => unknown;
export type ResolverMap = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;

export const digits = (id: unknown): number => Number.parseInt(String(id).replaceAll(/\D/g, '') || '0', 10);

/** Keys of an object, as a text. */
export const identityOf = ({ id, code, place }: Source): string =>
  JSON.stringify([id, code, (place as Source | undefined)?.['id']]);

/**
 * A number of another subgraph that a field requires. Objects of the monolith do not carry it: it is `computed` for them. A
 * representation without it comes from a wrong plan.
 */
export function requiredNumber(source: Source, name: string, computed: number): number {
  const value = source[name] as number | null | undefined;
  if (source['isInSubgraph'] === true) invariant(value !== undefined, `a representation lacks ${name}`);
  return value ?? computed;
}

/** Makes resolvers with the current failures. */
export interface Unreliable {
  /** Makes the fields of a type fail. Names of non-null fields end with `!`. */
  all(type: string, fields: Readonly<Record<string, Resolver>>): Record<string, Resolver>;
  /** Up to three numbers for a list of an object. */
  some(source: Source, name: string): number[];
}

export function createUnreliable(injection: FailureInjection): Unreliable {
  const unreliable = (name: string, isNonNull: boolean, resolve: Resolver): Resolver => {
    const attempt = (source: Source, given: Arguments): unknown => {
      const place = [injection.salt, name, JSON.stringify(given), identityOf(source)];
      const failure = fractionOf('failure', ...place);
      if (failure < injection.failures) throw serviceError('PROVIDER_UNAVAILABLE', { provider: name, reason: 'drawn' });
      if (failure < 2 * injection.failures && isNonNull) return null;
      return fractionOf('luck', ...place) < 0.05 && !isNonNull ? null : resolve(source, given);
    };
    const attemptLater = async (source: Source, given: Arguments): Promise<unknown> => {
      await Promise.resolve();
      return attempt(source, given);
    };
    return (source: Source | undefined, given) => (injection.async ? attemptLater : attempt)(source ?? {}, given);
  };
  return {
    all: (type, fields) =>
      Object.fromEntries(
        Object.entries(fields).map(([name, resolve]) => {
          const field = name.replace('!', '');
          return [field, unreliable(`${type}.${field}`, field !== name, resolve)];
        }),
      ),
    some(source, name) {
      const seed = [injection.salt, name, identityOf(source)];
      const length = Math.floor(fractionOf('length', ...seed) * 4);
      return Array.from({ length }, (_, index) => Math.floor(fractionOf(String(index), ...seed) * 4));
    },
  };
}
