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

type Source = Readonly<Record<string, unknown>>;
interface Arguments {
  readonly [name: string]: unknown;
  readonly lang?: string;
  readonly style?: string;
  readonly of?: string;
  readonly x?: number;
}
type Resolver = (source: Source, given: Arguments) => unknown;
export type ResolverMap = Readonly<Record<string, Readonly<Record<string, Resolver>>>>;

const digits = (id: unknown): number => Number.parseInt(String(id).replaceAll(/\D/g, '') || '0', 10);

const book = (n: number): Source => ({ __typename: 'Book', id: `b${n % 4}` });
const person = (n: number): Source => ({ __typename: 'Person', id: `p${n % 4}` });
const copy = (n: number): Source => ({ __typename: 'Copy', code: `c${n % 3}`, place: { id: `l${n % 2}` } });
/** Novels have odd numbers. */
export const work = (n: number): Source => ({ __typename: n % 2 === 1 ? 'Novel' : 'Comic', id: `w${n % 4}` });

const identityOf = ({ id, code, place }: Source): string =>
  JSON.stringify([id, code, (place as Source | undefined)?.['id']]);

/** Resolvers by type and field, with the current failures of `injection`. */
export function libraryResolvers(injection: FailureInjection): ResolverMap {
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
  /** Names of non-null fields end with `!`. */
  const allUnreliable = (type: string, fields: Readonly<Record<string, Resolver>>): Record<string, Resolver> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, resolve]) => {
        const field = name.replace('!', '');
        return [field, unreliable(`${type}.${field}`, field !== name, resolve)];
      }),
    );
  const some = (source: Source, name: string): number[] => {
    const seed = [injection.salt, name, identityOf(source)];
    const length = Math.floor(fractionOf('length', ...seed) * 4);
    return Array.from({ length }, (_, index) => Math.floor(fractionOf(String(index), ...seed) * 4));
  };
  const workFields = {
    cost: (source: Source) => digits(source['id']) + 0.25,
    note: (source: Source) => `note ${String(source['id'])}`,
    seller: (source: Source) => person(digits(source['id'])),
  };
  const novel = {
    label: (_: Source, { x }: Arguments) => `label ${x ?? 0}`,
    'chapters!': (source: Source) => digits(source['id']) * 3,
    book: (source: Source) => book(digits(source['id'])),
  };
  const comic = {
    label: (_: Source, { x }: Arguments) => [1, x ?? 0],
    'book!': (source: Source) => book(digits(source['id']) + 1),
  };
  return {
    Query: {
      ...allUnreliable('Query', {
        book: (_, { id }) => book(digits(id)),
        'sure!': (_, { id }) => book(digits(id)),
        me: () => person(1),
      }),
      rows: () => [[book(0), book(1)], null, [book(1), book(2), book(3)], []],
      works: () => [work(0), work(1), work(2), work(1)],
      item: (_, { id }) => work(digits(id)),
      hits: (_, { limit }) => [work(1), book(2), null, work(2), book(1)].slice(0, (limit as number | undefined) ?? 5),
      featured: () => [book(0), book(2), null, book(3)],
      offer: () => copy(1),
      offers: () => [copy(0), copy(1), copy(2), copy(1)],
      people: () => [person(0), person(1), person(1), person(3)],
    },
    Book: {
      // Inputs of other subgraphs do not fail, because the errors would name fields that are not in the operation.
      pages: ({ id }) => digits(id) * 100,
      weight: ({ id }, { unit }) => (unit === 'kg' ? digits(id) : digits(id) * 1000),
      stats: ({ id }) => ({ views: digits(id), likes: 7, history: [{ views: 1, likes: 2, history: null }, null] }),
      postage: ({ id, pages }, { zone }) =>
        ((pages as number | undefined) ?? digits(id) * 100) + ((zone as number | undefined) ?? 0),
      freight: ({ id, weight }) => ((weight as number | undefined) ?? digits(id)) * 2,
      ...allUnreliable('Book', {
        'title!': ({ id }) => `Title ${String(id)}`,
        subtitle: ({ id }, { lang }) => `sub ${String(id)} ${lang ?? ''} "\\ é`,
        format: ({ id }) => (digits(id) % 2 === 0 ? 'PAPER' : 'DIGITAL'),
        'related!': (source) => some(source, 'related').map(book),
        sequel: ({ id }, { n }) => book(digits(id) + ((n as number | undefined) ?? 1)),
        cover: ({ id }) => work(digits(id)),
        copies: (source) => some(source, 'copies').map(copy),
        blurb: ({ id }, { lang }) => `blurb ${String(id)} ${lang ?? ''}`,
        'price!': ({ id }) => digits(id) / 2,
        copy: ({ id }) => copy(digits(id)),
        forSale: ({ id }) => [copy(1), null, copy(digits(id)), copy(1)],
        readers: (source) => some(source, 'readers').map(person),
        flags: ({ id }) => ['new', String(id)],
      }),
      author: ({ id }) => ({ ...person(digits(id)), name: `Name p${digits(id)}` }),
    },
    Copy: allUnreliable('Copy', {
      borrowers: ({ code }) => [person(digits(code)), null, person(1)],
      'deposit!': ({ code }) => digits(code) + 0.5,
      hint: (source) => `hint ${identityOf(source)}`,
      'condition!': ({ code }, { of }) => digits(code) * 100 + (of ?? '').length,
      holder: ({ code }) => person(digits(code)),
    }),
    Novel: { ...allUnreliable('Novel', novel), ...allUnreliable('Work', workFields) },
    Comic: { ...allUnreliable('Comic', comic), ...allUnreliable('Work', workFields) },
    Work: allUnreliable('Work', workFields),
    Person: {
      name: ({ id }) => `Name ${String(id)}`,
      ...allUnreliable('Person', {
        nick: ({ id }, { style }) => `nick ${String(id)} ${style ?? ''}`,
        friends: (source) => [...some(source, 'friends').map(person), null],
        favourite: ({ id }) => book(digits(id)),
        owns: (source) => some(source, 'owns').map(copy),
      }),
    },
  };
}
