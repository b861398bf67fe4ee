import { z } from 'zod';
import { CATALOG, type ErrorCode } from '../../../src/errors/catalog';

const error = z.object({ message: z.string().min(1), extensions: z.object({ code: z.string() }) });
const response = z.union([
  z.object({ errors: z.array(error).min(1), data: z.unknown().optional() }),
  z.object({ data: z.record(z.string(), z.unknown()), errors: z.undefined().optional() }),
]);
const envelope = z.object({ error: z.object({ code: z.string(), message: z.string().min(1) }) });

/** Documented codes that the catalog does not have, for a document that has a syntax error, and for a request without a document. */
const [SYNTAX_ERROR, NO_DOCUMENT] = ['GRAPHQL_PARSE_FAILED', 'BAD_REQUEST'];

/** Problems of the response to a document: none for data, and for errors with documented codes below 500. */
export const graphqlProblems = (status: number, body: string): readonly string[] =>
  problemsBeside([SYNTAX_ERROR], { status, body });

/** Problems of a response of `/graphql`. `accepted`: codes that the catalog does not have. */
function problemsBeside(
  accepted: readonly string[],
  { status, body }: { readonly status: number; readonly body: string },
): readonly string[] {
  const parsed = response.safeParse(parseJson(body));
  if (!parsed.success) return ['neither data nor errors'];
  const codes = (parsed.data.errors ?? []).map(({ extensions }) => extensions.code);
  return [
    ...codes.filter((code) => !accepted.includes(code) && !isDocumented(code)).map((code) => `code ${code}`),
    ...codes.filter((code) => isDocumented(code) && CATALOG[code].status >= 500).map((code) => `5xx: ${code}`),
    ...(status >= 500 ? [`5xx: ${String(status)}`] : []),
  ];
}

/** Problems of a response to bytes that may be no request. */
export function envelopeProblems(status: number, body: string): readonly string[] {
  if (status < 400) return [];
  const parsed = envelope.safeParse(parseJson(body));
  const accepted = status === 400 || status === 405 ? [SYNTAX_ERROR, NO_DOCUMENT] : [SYNTAX_ERROR];
  if (!parsed.success) return problemsBeside(accepted, { status, body });
  const { code } = parsed.data.error;
  return [...(isDocumented(code) ? [] : [`code ${code}`]), ...(status >= 500 ? [`5xx: ${code}`] : [])];
}

const isDocumented = (code: string): code is ErrorCode => Object.hasOwn(CATALOG, code);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
