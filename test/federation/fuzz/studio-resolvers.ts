import {
  createUnreliable,
  digits,
  type FailureInjection,
  requiredNumber,
  type ResolverMap,
  type Source,
} from './unreliable';

const clip = (n: number): Source => ({ __typename: 'Clip', id: `k${n % 4}` });
/** Films and gigs have odd numbers. */
export const media = (n: number): Source => ({ __typename: n % 2 === 1 ? 'Film' : 'Song', id: `m${n % 4}` });
const show = (n: number): Source => ({ __typename: n % 2 === 1 ? 'Gig' : 'Talk', id: `s${n % 4}` });

const numberOf = ({ id }: Source): number => digits(id);

const LENGTHS: Readonly<Record<string, (n: number) => number>> = {
  kg: (n) => n * 10 + 1,
  e: (n) => n * 1000 + 2,
};
const lengthIn = (unit: unknown, source: Source): number =>
  (LENGTHS[String(unit)] ?? ((n: number) => n + 3))(numberOf(source));

/** Resolvers by type and field, with the current failures of `injection`. */
export function studioResolvers(injection: FailureInjection): ResolverMap {
  const { all, some } = createUnreliable(injection);
  // Inputs of other subgraphs do not fail, because the errors would name fields that are not in the operation.
  const year = (source: Source): number => 1990 + numberOf(source);
  const title = ({ id }: Source): string => `Title ${String(id)}`;
  const mediaFields = {
    year,
    age: (source: Source) => 2000 - requiredNumber(source, 'year', year(source)),
    ...all('Media', { rating: (source) => numberOf(source) * 3, clip: (source) => clip(numberOf(source) + 1) }),
  };
  return {
    Query: {
      ...all('Query', {
        clip: (_, { id }) => clip(digits(id)),
        media: (_, { id }) => media(digits(id)),
        best: () => media(1),
        hall: () => ({ __typename: 'Hall', id: 'h1' }),
      }),
      medias: () => [media(0), media(1), media(2), media(1)],
      popular: () => [media(1), null, media(2), media(3)],
      next: () => [show(1), show(2), null, show(1)],
    },
    Clip: {
      length: (source, { unit }) => lengthIn(unit, source),
      price: (source) => requiredNumber(source, 'length', lengthIn('kg', source)) * 2,
      size: (source, { zoom }) =>
        requiredNumber(source, 'length', lengthIn('e', source)) + ((zoom as number | undefined) ?? 0),
      ...all('Clip', {
        next: (source, { n }) => clip(numberOf(source) + ((n as number | undefined) ?? 1)),
        source: (source) => media(numberOf(source)),
        twin: (source) => clip(numberOf(source) + 2),
        hit: (source) => media(numberOf(source) + 1),
        parent: (source) => clip(numberOf(source) + 3),
        show: (source, { role }) => show(numberOf(source) + (role === undefined ? 0 : 1)),
      }),
    },
    Media: mediaFields,
    Film: {
      ...mediaFields,
      ...all('Film', {
        trailer: (source) => clip(numberOf(source)),
        runtime: (source, { unit }) => numberOf(source) * 60 + String(unit).length,
      }),
    },
    Song: { ...mediaFields, ...all('Song', { lyrics: ({ id }) => `la ${String(id)} "\\ é` }) },
    Hall: all('Hall', { name: ({ id }) => `Hall ${String(id)}`, shows: (source) => some(source, 'shows').map(show) }),
    Gig: {
      title,
      ...all('Gig', { seats: (source) => numberOf(source) * 100, opener: (source) => clip(numberOf(source)) }),
    },
    Talk: { title, ...all('Talk', { speaker: ({ id }) => `Speaker ${String(id)}` }) },
  };
}
