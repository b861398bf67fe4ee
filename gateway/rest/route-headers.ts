import type { RestRoute } from './route-table';

/** Headers that every answer of a route carries; `:name` in a value stands for that segment of the path. */
export function routeHeaders({ deprecated }: RestRoute): Readonly<Record<string, string>> {
  const always = { 'cache-control': 'no-store' };
  if (deprecated === undefined) return always;
  const since = Math.floor(Date.parse(deprecated.since) / 1000);
  return {
    ...always,
    deprecation: `@${since}`,
    sunset: new Date(deprecated.sunset).toUTCString(),
    link: `<${deprecated.successor}>; rel="successor-version"`,
  };
}

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
