import { z } from 'zod';
import { GRAPHQL_CODES } from '../../../gateway/rest/errors-page';
import { CATALOG, type ErrorCode } from '../../../src/errors/catalog';

const error = z.object({ message: z.string().min(1), extensions: z.object({ code: z.string() }) });
const response = z.union([
  z.object({ errors: z.array(error).min(1), data: z.unknown().optional() }),
  z.object({ data: z.record(z.string(), z.unknown()), errors: z.undefined().optional() }),
]);
const envelope = z.object({ error: z.object({ code: z.string(), message: z.string().min(1) }) });

/** Problems of a response of `/graphql`: none for data, and for errors with documented codes below 500. */
export function graphqlProblems(status: number, body: string): readonly string[] {
  const parsed = response.safeParse(parseJson(body));
  if (!parsed.success) return ['neither data nor errors'];
  const codes = (parsed.data.errors ?? []).map(({ extensions }) => extensions.code);
  return [
    ...codes.filter((code) => !isOfGraphql(code) && !isInCatalog(code)).map((code) => `code ${code}`),
    ...codes.filter((code) => isInCatalog(code) && CATALOG[code].status >= 500).map((code) => `5xx: ${code}`),
    ...(status >= 500 ? [`5xx: ${String(status)}`] : []),
  ];
}

/** Problems of a response to bytes that may be no request. */
export function envelopeProblems(status: number, body: string): readonly string[] {
  if (status < 400) return [];
  const parsed = envelope.safeParse(parseJson(body));
  if (!parsed.success) return graphqlProblems(status, body);
  const { code } = parsed.data.error;
  return [...(isInCatalog(code) ? [] : [`code ${code}`]), ...(status >= 500 ? [`5xx: ${code}`] : [])];
}

const isInCatalog = (code: string): code is ErrorCode => Object.hasOwn(CATALOG, code);
const isOfGraphql = (code: string): boolean => Object.hasOwn(GRAPHQL_CODES, code);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
