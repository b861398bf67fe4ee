import type { RestRoute } from './route-table';

/** Headers that every answer of a route carries; `:name` in a value stands for that segment of the path. */
export function routeHeaders({ deprecated }: RestRoute): Readonly<Record<string, string>> {
  const always = { 'cache-control': 'no-store' };
  if (deprecated === undefined) return always;
  return {
    ...always,
    deprecation: deprecation(deprecated.since),
    sunset: new Date(deprecated.sunset).toUTCString(),
    link: `<${deprecated.successor}>; rel="successor-version"`,
  };
}

/** Value of `Deprecation`, RFC 9745: the day since which something is deprecated, as Unix seconds after an `@`. */
const deprecation = (since: string): string => `@${Math.floor(Date.parse(since) / 1000)}`;

/** Since when the arguments with a deprecation reason in the schema are deprecated: they are older than this service. */
const PARAMETERS_DEPRECATED_SINCE = '2026-01-01';

/** Headers of an answer to a request that uses deprecated arguments; a deprecated path says it of all of them. */
export const deprecatedParameters = (names: readonly string[]): Readonly<Record<string, string>> => ({
  deprecation: deprecation(PARAMETERS_DEPRECATED_SINCE),
  'x-deprecated-parameters': names.join(', '),
});

/** The link of a deprecated path to its successor, for this very request. */
export const linkFor = (link: string, params: Readonly<Record<string, string>>): string =>
  link.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

const MOST_NAMES = 20;
const LONGEST_NAME = 64;

/** Value of `x-ignored-parameters`: names as they came, without what does not belong in a header. */
export const ignoredParameters = (names: readonly string[]): string =>
  names
    .slice(0, MOST_NAMES)
    .map((name) => name.slice(0, LONGEST_NAME).replaceAll(/[^\w.$[\]-]/g, '_'))
    .join(', ');
