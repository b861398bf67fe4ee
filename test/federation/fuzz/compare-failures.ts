import type { FormattedError, ResponsePath } from '../../../gateway/federation/formatted-error';

/** The responses to one operation. */
export interface ComparedResponses {
  /** Data of the monolith with the same failures. */
  readonly expected: unknown;
  /** Data of the monolith without failures. Its nulls require no error. */
  readonly withoutFailures: unknown;
  readonly data: unknown;
  readonly errors: readonly FormattedError[];
}

/** Maximum length of the error list. Beyond it, some nulls have no error. */
const MAX_ERRORS = 100;

/** Returns the problems of the gateway's response to an operation with failed fields. */
export function compareFailures({ expected, withoutFailures, data, errors }: ComparedResponses): readonly string[] {
  const problems: string[] = [];
  compare({ got: data, expected, withoutFailures, path: [] }, (place) => {
    if (place.got === null) {
      const explained =
        errors.length >= MAX_ERRORS || errors.some(({ path }) => path === undefined || related(path, place.path));
      if (place.withoutFailures !== null && !explained) problems.push(`unexplained null at ${place.path.join('.')}`);
    } else if (JSON.stringify(place.got) !== JSON.stringify(place.expected)) {
      problems.push(`other value at ${place.path.join('.')}`);
    }
  });
  for (const { path, message } of errors) {
    if (path === undefined) problems.push(`an error without a path: ${message}`);
    else if (!pointsAtNull(data, path)) problems.push(`an error at a non-null value: ${path.join('.')}`);
  }
  return problems;
}

interface Place {
  readonly got: unknown;
  readonly expected: unknown;
  readonly withoutFailures: unknown;
  readonly path: ResponsePath;
}

/** Visits nulls, leaves, and positions where only some of the responses have an object or list. */
function compare(place: Place, visit: (place: Place) => void): void {
  const { got, expected, withoutFailures, path } = place;
  if (!isContainer(got) || !isContainer(expected) || !isContainer(withoutFailures)) {
    visit(place);
    return;
  }
  if (Object.keys(got).join() !== Object.keys(expected).join()) visit({ ...place, got: Object.keys(got) });
  for (const key of Object.keys(got)) {
    const segment = Array.isArray(got) ? Number.parseInt(key, 10) : key;
    compare(
      { got: got[key], expected: expected[key], withoutFailures: withoutFailures[key], path: [...path, segment] },
      visit,
    );
  }
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** True for an error above the null, and for one below from which the null has spread. */
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
