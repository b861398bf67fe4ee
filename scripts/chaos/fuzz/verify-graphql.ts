import { z } from 'zod';
import { CATALOG, type ErrorCode } from '../../../src/errors/catalog';

const error = z.object({ message: z.string().min(1), extensions: z.object({ code: z.string() }) });
const response = z.union([
  z.object({ errors: z.array(error).min(1), data: z.unknown().optional() }),
  z.object({ data: z.record(z.string(), z.unknown()), errors: z.undefined().optional() }),
]);
const envelope = z.object({ error: z.object({ code: z.string(), message: z.string().min(1) }) });

/** A document with a syntax error. The catalog does not have this code; the page of errors has it. */
const SYNTAX_ERROR = 'GRAPHQL_PARSE_FAILED';
/** No document, variables that are not an object, or a mutation by GET. The catalog does not have this code; the page of errors has it. */
const NO_OPERATION = 'BAD_REQUEST';

interface Response {
  readonly status: number;
  readonly body: string;
}

/** Problems of the response to a document: none for data, and for errors with documented codes below 500. */
export const graphqlProblems = (status: number, body: string): readonly string[] =>
  problemsOfErrors({ status, body }, [SYNTAX_ERROR]);

/** Problems of a response of a path that has no route. */
export const envelopeProblems = (status: number, body: string): readonly string[] =>
  problemsOfRefusal({ status, body }, [SYNTAX_ERROR]);

/** Problems of a response to bytes that may be no request, or one to `/graphql`. */
export const byteProblems = (status: number, body: string): readonly string[] =>
  problemsOfRefusal({ status, body }, status === 400 || status === 405 ? [SYNTAX_ERROR, NO_OPERATION] : [SYNTAX_ERROR]);

/** `accepted`: codes that the catalog does not have. */
function problemsOfErrors({ status, body }: Response, accepted: readonly string[]): readonly string[] {
  const parsed = response.safeParse(parseJson(body));
  if (!parsed.success) return ['neither data nor errors'];
  const codes = (parsed.data.errors ?? []).map(({ extensions }) => extensions.code);
  return [
    ...codes.filter((code) => !accepted.includes(code) && !isInCatalog(code)).map((code) => `code ${code}`),
    ...codes.filter((code) => isInCatalog(code) && CATALOG[code].status >= 500).map((code) => `5xx: ${code}`),
    ...(status >= 500 ? [`5xx: ${String(status)}`] : []),
  ];
}

function problemsOfRefusal({ status, body }: Response, accepted: readonly string[]): readonly string[] {
  if (status < 400) return [];
  const parsed = envelope.safeParse(parseJson(body));
  if (!parsed.success) return problemsOfErrors({ status, body }, accepted);
  const { code } = parsed.data.error;
  return [...(isInCatalog(code) ? [] : [`code ${code}`]), ...(status >= 500 ? [`5xx: ${code}`] : [])];
}

const isInCatalog = (code: string): code is ErrorCode => Object.hasOwn(CATALOG, code);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
