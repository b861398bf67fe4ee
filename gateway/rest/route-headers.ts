import type { RestRoute } from './route-table';

/** Headers of every response of a route. `:name` in a value stands for a segment of the path. */
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

/** Value of `Deprecation` (RFC 9745): start of the deprecation, as Unix seconds after an `@`. */
const deprecation = (since: string): string => `@${Math.floor(Date.parse(since) / 1000)}`;

/** Start of the deprecation of arguments with a deprecation reason in the schema. They predate this service. */
const PARAMETERS_DEPRECATED_SINCE = '2026-01-01';

/** Headers of the response to a request with deprecated arguments. */
export const deprecatedParameters = (names: readonly string[]): Readonly<Record<string, string>> => ({
  deprecation: deprecation(PARAMETERS_DEPRECATED_SINCE),
  'x-deprecated-parameters': names.join(', '),
});

/** The link from a deprecated path to its successor, with the path segments of the request. */
export const linkFor = (link: string, params: Readonly<Record<string, string>>): string =>
  link.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 64;

/** Value of `x-ignored-parameters`: the names as sent, with unsafe characters replaced. */
export const ignoredParameters = (names: readonly string[]): string =>
  names
    .slice(0, MAX_NAMES)
    .map((name) => name.slice(0, MAX_NAME_LENGTH).replaceAll(/[^\w.$[\]-]/g, '_'))
    .join(', ');
