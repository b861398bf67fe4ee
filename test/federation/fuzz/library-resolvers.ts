import {
  type Arguments,
  createUnreliable,
  digits,
  type FailureInjection,
  identityOf,
  requiredNumber,
  type ResolverMap,
  type Source,
} from './unreliable';

const book = (n: number): Source => ({ __typename: 'Book', id: `b${n % 4}` });
const person = (n: number): Source => ({ __typename: 'Person', id: `p${n % 4}` });
const copy = (n: number): Source => ({ __typename: 'Copy', code: `c${n % 3}`, place: { id: `l${n % 2}` } });
/** Novels have odd numbers. */
export const work = (n: number): Source => ({ __typename: n % 2 === 1 ? 'Novel' : 'Comic', id: `w${n % 4}` });

/** Resolvers by type and field, with the current failures of `injection`. */
export function libraryResolvers(injection: FailureInjection): ResolverMap {
  const { all: allUnreliable, some } = createUnreliable(injection);
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
      postage: (source, { zone }) =>
        requiredNumber(source, 'pages', digits(source['id']) * 100) + ((zone as number | undefined) ?? 0),
      freight: (source) => requiredNumber(source, 'weight', digits(source['id'])) * 2,
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
