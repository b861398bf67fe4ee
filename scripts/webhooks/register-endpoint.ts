import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';

export interface DashboardAccess {
  readonly graphqlUrl: string;
  /** Access token with the role developer. */
  readonly token: string;
}

const listed = z.object({ webhookEndpoints: z.array(z.object({ id: z.string(), url: z.string() })) });
const created = z.object({
  createWebhookEndpoint: z.object({ secret: z.string(), endpoint: z.object({ id: z.string() }) }),
});
const rotated = z.object({ rotateWebhookSecret: z.string() });

export interface RegisteredEndpoint {
  readonly id: string;
  readonly secret: string;
}

/** Creates an endpoint with this URL, or takes over the one of an earlier run with a new secret. */
export async function registerEndpoint(access: DashboardAccess, url: string): Promise<RegisteredEndpoint> {
  const { webhookEndpoints } = await send(access, { query: '{ webhookEndpoints { id url } }', schema: listed });
  const earlier = webhookEndpoints.find((endpoint) => endpoint.url === url);
  if (earlier === undefined) {
    const query = 'mutation ($url: URL!) { createWebhookEndpoint(url: $url) { secret endpoint { id } } }';
    const { createWebhookEndpoint: made } = await send(access, { query, variables: { url }, schema: created });
    return { id: made.endpoint.id, secret: made.secret };
  }
  const { id } = earlier;
  const query = `mutation ($id: UUID!) {
    rotateWebhookSecret(endpointId: $id)
    updateWebhookEndpoint(endpointId: $id, enabled: true) { id }
  }`;
  const { rotateWebhookSecret: secret } = await send(access, { query, variables: { id }, schema: rotated });
  return { id, secret };
}

export async function removeEndpoint(access: DashboardAccess, id: string): Promise<void> {
  const query = 'mutation ($id: UUID!) { deleteWebhookEndpoint(endpointId: $id) }';
  await send(access, { query, variables: { id }, schema: z.unknown() });
}

interface Operation<Data> {
  readonly query: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly schema: z.ZodType<Data>;
}

async function send<Data>(
  { graphqlUrl, token }: DashboardAccess,
  { query, variables, schema }: Operation<Data>,
): Promise<Data> {
  const response = await fetch(graphqlUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  const parsed = z.object({ data: schema }).safeParse(JSON.parse(text));
  if (!parsed.success) throw new InvariantError(`the service responded with ${text.slice(0, 500)}`);
  return parsed.data.data;
}
