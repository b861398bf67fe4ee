import type { FormattedError, ResponsePath } from '../../../gateway/federation/formatted-error';

/** The answers to one operation. */
export interface Answers {
  /** Of the monolith, under the same weather. */
  readonly expected: unknown;
  /** Of the monolith if nothing had failed: its nulls need no explanation. */
  readonly unspoilt: unknown;
  readonly data: unknown;
  readonly errors: readonly FormattedError[];
}

/** The error list is cut after that many: then some nulls have no error. */
const MAX_ERRORS = 100;

/** What is wrong with the gateway's answer when fields fail. */
export function judgeFailures({ expected, unspoilt, data, errors }: Answers): readonly string[] {
  const problems: string[] = [];
  compare({ got: data, expected, unspoilt, path: [] }, (place) => {
    if (place.got === null) {
      const explained =
        errors.length >= MAX_ERRORS || errors.some(({ path }) => path === undefined || related(path, place.path));
      if (place.unspoilt !== null && !explained) problems.push(`unexplained null at ${place.path.join('.')}`);
    } else if (JSON.stringify(place.got) !== JSON.stringify(place.expected)) {
      problems.push(`other value at ${place.path.join('.')}`);
    }
  });
  for (const { path, message } of errors) {
    if (path === undefined) problems.push(`an error without a path: ${message}`);
    else if (!pointsAtNull(data, path)) problems.push(`an error at a value that is there: ${path.join('.')}`);
  }
  return problems;
}

interface Place {
  readonly got: unknown;
  readonly expected: unknown;
  readonly unspoilt: unknown;
  readonly path: ResponsePath;
}

/** Visits nulls, leaves, and positions at which the answers differ in kind. */
function compare(place: Place, visit: (place: Place) => void): void {
  const { got, expected, unspoilt, path } = place;
  if (!isContainer(got) || !isContainer(expected) || !isContainer(unspoilt)) {
    visit(place);
    return;
  }
  if (Object.keys(got).join() !== Object.keys(expected).join()) visit({ ...place, got: Object.keys(got) });
  for (const key of Object.keys(got)) {
    const segment = Array.isArray(got) ? Number.parseInt(key, 10) : key;
    compare({ got: got[key], expected: expected[key], unspoilt: unspoilt[key], path: [...path, segment] }, visit);
  }
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** An error above a null explains it, and so does one below, from which the null has spread. */
const related = (one: ResponsePath, other: ResponsePath): boolean =>
  one.slice(0, other.length).every((segment, index) => segment === other[index]);

function pointsAtNull(data: unknown, path: ResponsePath): boolean {
  let value = data;
  for (const segment of path) {
    if (value === null) return true;
    value = (value as Record<string | number, unknown>)[segment];
  }
  return value === null;
}
