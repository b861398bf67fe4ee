import { ALIASED_INTROSPECTION, ALIASED_LISTS, ALIASED_TYPES, LARGEST_INTROSPECTION, SAME_FIELDS } from './documents';
import { halfSentBodies, leftStreams, slowHeads, unreadResponses } from './hostile-sockets';
import { LARGE_BODY_PATH, type Outcome, type Target } from './target';

/** One kind of hostile request. */
export interface Attack {
  readonly name: string;
  /** Requests at the same time when the service is flooded with it. */
  readonly flood: number;
  /** Sends one request, and resolves when it has its response. */
  send(target: Target): Promise<Outcome>;
}

interface Sent {
  readonly path: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly apiKey?: string;
}

async function post({ url, address }: Target, { path, body, apiKey }: Sent): Promise<Outcome> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      body,
      headers: apiKey === undefined ? headers : { ...headers, 'x-api-key': apiKey },
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 'closed';
  }
}

/** Without a key, as a stranger sends it. */
const documentAttack = (name: string, query: string): Attack => ({
  name,
  flood: 10,
  send: (target) => post(target, { path: '/graphql', body: JSON.stringify({ query }) }),
});

const keyedAttack = (name: string, query: string): Attack => ({
  name,
  flood: 10,
  send: (target) => post(target, { path: '/graphql', body: JSON.stringify({ query }), apiKey: target.apiKey }),
});

const MEGABYTE = 1024 * 1024;
/** Below the limit of ordinary bodies. */
const LARGE = MEGABYTE - 1000;
const NESTED = `${'['.repeat(LARGE / 2)}${']'.repeat(LARGE / 2)}`;
const MANY_KEYS = `{${Array.from({ length: 60_000 }, (_, index) => `"key${index}":1`).join(',')}}`;

function largeBodyAttack(name: string, content: string): Attack {
  /** Built once: that takes more of the processors than sending it does. */
  let body: Uint8Array<ArrayBuffer> | undefined;
  return {
    name,
    flood: 6,
    send: (target) => {
      body ??= Buffer.from(`{"a":"${content.repeat((40 * MEGABYTE - 100) / content.length)}"}`);
      return post(target, { path: LARGE_BODY_PATH, body, apiKey: target.apiKey });
    },
  };
}

export const ATTACKS: readonly Attack[] = [
  documentAttack('introspection with lists under aliases', ALIASED_INTROSPECTION),
  documentAttack('introspection of one type under 40 aliases', ALIASED_TYPES),
  documentAttack('the largest introspection that is allowed', LARGEST_INTROSPECTION),
  documentAttack('one field a thousand times', SAME_FIELDS),
  documentAttack('a document of comments', `{ __typename }${'\n#'.repeat(LARGE / 3)}`),
  keyedAttack('lists in lists under 39 aliases', ALIASED_LISTS),
  {
    name: 'variables that nest half a million arrays',
    flood: 10,
    send: (target) =>
      post(target, { path: '/graphql', body: `{"query":"{ __typename }","variables":{"a":${NESTED}}}` }),
  },
  {
    name: 'a body with 60,000 unknown parameters',
    flood: 10,
    send: (target) => post(target, { path: '/v2/swap/bytecode', body: MANY_KEYS, apiKey: target.apiKey }),
  },
  largeBodyAttack('bodies of 40 MB', 'A'),
  // Every other byte ends a text unless the one before is read as well.
  largeBodyAttack('bodies of 40 MB of escaped quotes', '\\"'),
  { name: 'bodies that are begun and never sent', flood: 200, send: halfSentBodies },
  { name: 'heads that are sent byte by byte', flood: 200, send: slowHeads },
  { name: 'responses that are not read', flood: 20, send: unreadResponses },
  { name: 'event streams whose client leaves at once', flood: 200, send: leftStreams },
];
