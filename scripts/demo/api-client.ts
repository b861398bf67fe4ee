import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { TypedDocumentString } from './generated/graphql';

const envelope = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const graphqlAnswer = z.object({
  data: z.unknown(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
});

export interface ApiClient {
  /** GET of a REST path. @throws InvariantError with the code of the envelope. */
  get(path: string, query: Readonly<Record<string, string>>): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  /** Runs a GraphQL operation and returns its data. @throws InvariantError with the code of the first error. */
  graphql<Data, Variables>(operation: TypedDocumentString<Data, Variables>, variables: Variables): Promise<Data>;
}

export function createApiClient(baseUrl: string, apiKey: string): ApiClient {
  const call = async (path: string, init: RequestInit): Promise<unknown> => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
    const body: unknown = await response.json();
    const failure = envelope.safeParse(body);
    if (failure.success) throw new InvariantError(`${failure.data.error.code}: ${failure.data.error.message}`);
    return body;
  };
  return {
    get: (path, query) => call(`${path}?${new URLSearchParams(query).toString()}`, { method: 'GET' }),
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    async graphql<Data, Variables>(operation: TypedDocumentString<Data, Variables>, variables: Variables) {
      const body = JSON.stringify({ query: operation.toString(), variables });
      const { data, errors } = graphqlAnswer.parse(await call('/graphql', { method: 'POST', body }));
      const first = errors?.[0];
      if (first !== undefined) throw new InvariantError(`${first.extensions.code}: ${first.message}`);
      return data as Data; // without errors the data is what the generated types say
    },
  };
}
