import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { TypedDocumentString } from './generated/graphql';

const envelope = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const graphqlResponse = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
});

export interface ApiClient {
  /**
   * GET of a REST path. Repeated while the service or a third party does not respond in time, for as long as the client was
   * created with. @throws InvariantError with the code of the envelope.
   */
  get(path: string, query: Readonly<Record<string, string>>): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  /**
   * Data of each event of a GraphQL subscription, as server-sent events. @throws InvariantError with the code of the
   * first error.
   */
  subscribe<Data, Variables>(
    operation: TypedDocumentString<Data, Variables>,
    variables: Variables,
    signal: AbortSignal,
  ): AsyncGenerator;
  /** Runs a GraphQL operation and returns its data. @throws InvariantError with the code of the first error. */
  graphql<Data, Variables>(operation: TypedDocumentString<Data, Variables>, variables: Variables): Promise<Data>;
}

/** A bad gateway, an unavailable service and a timeout: on a busy machine they pass. */
const RETRIED: ReadonlySet<number> = new Set([502, 503, 504]);
const RETRY_PAUSE_MS = 1000;

/** `retryMs`: how long a GET is repeated. */
export const createApiClient = (baseUrl: string, apiKey: string, retryMs = 0): ApiClient =>
  clientWith(baseUrl, { 'x-api-key': apiKey }, retryMs);

/** A client that acts as a user of the dashboard. */
export const createDashboardClient = (baseUrl: string, accessToken: string): ApiClient =>
  clientWith(baseUrl, { authorization: `Bearer ${accessToken}` }, 0);

function clientWith(baseUrl: string, credential: Readonly<Record<string, string>>, retryMs: number): ApiClient {
  const call = async (path: string, init: RequestInit, until = 0): Promise<unknown> => {
    const headers = { ...credential, 'content-type': 'application/json' };
    for (;;) {
      const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
      const body: unknown = await response.json();
      const failure = envelope.safeParse(body);
      if (!failure.success) return body;
      if (!RETRIED.has(response.status) || Date.now() >= until)
        throw new InvariantError(`${failure.data.error.code}: ${failure.data.error.message}`);
      await pause(RETRY_PAUSE_MS);
    }
  };
  return {
    get: (path, query) =>
      call(`${path}?${new URLSearchParams(query).toString()}`, { method: 'GET' }, Date.now() + retryMs),
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
    async *subscribe(operation, variables, signal) {
      const body = JSON.stringify({ query: operation.toString(), variables });
      const headers = { ...credential, 'content-type': 'application/json', accept: 'text/event-stream' };
      const response = await fetch(`${baseUrl}/graphql`, { method: 'POST', headers, body, signal });
      if (!response.ok || response.body === null) throw new InvariantError(`no events: ${await response.text()}`);
      for await (const event of eventsOf(response.body)) yield dataOf(event);
    },
    async graphql<Data, Variables>(operation: TypedDocumentString<Data, Variables>, variables: Variables) {
      const body = JSON.stringify({ query: operation.toString(), variables });
      const response = await call('/graphql', { method: 'POST', body });
      return dataOf(response) as Data; // without errors the data has the generated types
    },
  };
}

/** @throws InvariantError with the code of the first error */
function dataOf(response: unknown): unknown {
  const { data, errors } = graphqlResponse.parse(response);
  const first = errors?.[0];
  if (first !== undefined) throw new InvariantError(`${first.extensions.code}: ${first.message}`);
  return data;
}

/** The bodies of `next` events. */
async function* eventsOf(stream: NonNullable<Response['body']>): AsyncGenerator {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: next\ndata: (.*)$/s.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data) as unknown;
    }
  }
}
