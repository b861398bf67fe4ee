import { CATALOG } from '../../src/errors/catalog';
import { limitError } from '../../src/errors/limit-error';
import { serviceError } from '../../src/errors/service-error';
import { ACTION, type Edge, QUOTE, QUOTE_ID, startEdge, WALLET } from './edge';

const BUSY = limitError({ limit: 'openActions', maximum: 1, bound: '1 open action', retryAfter: 60 });

let edge: Edge;
const seen: Record<string, any>[] = [];

beforeAll(async () => {
  edge = await startEdge({
    roots: {
      'Query.swapQuote': (args) => {
        seen.push(args);
        if (args['pixKey'] === 'fails') throw serviceError('MISSING_AMOUNT_PARAMS');
        if (args['pixKey'] === 'breaks') throw new TypeError('a secret of ours');
        return { quote: QUOTE };
      },
      'Mutation.createSwapTransaction': (args) => {
        seen.push(args);
        if (args['accountId'] === 'busy' && seen.length === 1) throw BUSY;
        return { id: QUOTE_ID, chainId: 8453, quoteId: args['quoteId'], transactionData: [] };
      },
    },
  });
});
beforeEach(() => seen.splice(0));
afterAll(() => edge.close());

const priced = `tokenIn=a&tokenOut=b&amountIn=5`;
const json = { 'content-type': 'application/json' };
const post = (path: string, body: unknown, headers = {}) =>
  edge.fetch(path, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const problemsOf = async (response: Response): Promise<Record<string, string>> => {
  expect(response.status).toBe(422);
  const { error } = await response.json();
  expect(error.code).toBe('VALIDATION_ERROR');
  return Object.fromEntries(error.details.errors.map(({ path, message }: any) => [path, message]));
};

describe('a route', () => {
  it('returns the value of its root field, without nulls', async () => {
    const response = await edge.fetch(`/v2/swap/quote?${priced}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      quote: { ...QUOTE, deadlineDate: '2026-01-31T12:00:00.000Z' },
    });
  });

  it.each([
    ['userOperation', { userOperation: null }],
    ['instructions', { lutsByAddress: null }],
    ['custody', {}],
  ])('keeps the null that the contract shows for output=%s', async (output, nulls) => {
    const response = await edge.fetch(`/v2/swap/quote?${priced}&output=${output}`);
    expect(await response.json()).toEqual({ quote: expect.anything(), ...nulls });
  });

  it('keeps the nulls of an action that the contract requires', async () => {
    const action = await (await edge.fetch(`/actions/${QUOTE_ID}`)).json();
    expect(action.amounts).toEqual(ACTION.amounts);
  });

  it('passes each argument to the graph in its own type', async () => {
    const response = await edge.fetch(`/v2/swap/quote?${priced}&thirdParty=false&originChain=8453&slippage=0.01`);
    expect(response.status).toBe(200);
    expect(seen[0]).toEqual({
      tokenIn: 'a',
      tokenOut: 'b',
      amountIn: '5',
      thirdParty: false,
      originChain: '8453',
      slippage: '0.01',
    });
  });

  it('ignores an empty query parameter', async () => {
    expect((await edge.fetch(`/v2/swap/quote?${priced}&pixKey=&thirdParty=&output=`)).status).toBe(200);
    expect(seen[0]).toEqual({ tokenIn: 'a', tokenOut: 'b', amountIn: '5' });
  });

  it('returns an error of the graph with the status of its code', async () => {
    const response = await edge.fetch(`/v2/swap/quote?${priced}&pixKey=fails`);
    expect(response.status).toBe(400);
    const { message } = CATALOG.MISSING_AMOUNT_PARAMS;
    expect(await response.json()).toEqual({ error: { code: 'MISSING_AMOUNT_PARAMS', message } });
  });

  it('masks a bug, and returns the request id of its log entry', async () => {
    const response = await edge.fetch(`/v2/swap/quote?${priced}&pixKey=breaks`, { headers: { 'x-request-id': 'r-1' } });
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: {
        code: 'INTERNAL_SERVER_ERROR',
        message: CATALOG.INTERNAL_SERVER_ERROR.message,
        details: { requestId: 'r-1' },
      },
    });
  });

  it('has a legacy path, with a link to its successor', async () => {
    const response = await edge.fetch(`/swap/status/${QUOTE_ID}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(Date.parse(response.headers.get('sunset')!)).toBeGreaterThan(0);
    expect(response.headers.get('link')).toBe(`</v2/swap/status/${QUOTE_ID}>; rel="successor-version"`);
  });

  it('allows GET /customers/me to a bearer token only', async () => {
    expect((await edge.fetch('/customers/me')).status).toBe(401);
    const response = await fetch(`${edge.url}/customers/me`, { headers: { authorization: 'Bearer a.b.c' } });
    expect(await response.json()).toEqual({ id: 'customer', name: 'Test' });
  });
});

describe('coercion', () => {
  it('reports every problem of a query at once', async () => {
    const query = 'tokenIn=a&tokenIn=b&amountIn=1e18&thirdParty=maybe&output=calldata&originChain=a%20b&slippage=x';
    expect(await problemsOf(await edge.fetch(`/v2/swap/quote?${query}`))).toEqual({
      tokenIn: 'must be given only once',
      tokenOut: 'is required',
      amountIn: expect.stringContaining('decimal digits'),
      thirdParty: 'must be true or false',
      output: 'must be one of bytecode, userOperation, custody, instructions',
      originChain: expect.stringContaining('chain slug'),
      slippage: expect.stringContaining('decimal number'),
    });
    expect(seen).toEqual([]);
  });

  it('reports every problem of a body at once', async () => {
    const body = { quoteId: 'x', output: 'y', thirdParty: 'true', pixKey: ['a'], accountId: 7, webhookURL: {} };
    expect(await problemsOf(await post('/v2/swap/bytecode', body))).toEqual({
      quoteId: 'must be a UUID',
      output: expect.stringContaining('must be one of'),
      thirdParty: 'must be true or false',
      pixKey: 'must be a string',
      accountId: 'must be a string',
      webhookURL: 'must be a single value',
    });
  });

  it.each(['page=0', 'page=1.5', 'page=1e1', 'page=01', 'page=-0', 'limit=101', 'limit=99999999999', 'page=abc'])(
    'refuses %s',
    async (query) => {
      const response = await edge.fetch(`/actions?walletAddress=${WALLET}&${query}`);
      expect(Object.keys(await problemsOf(response))).toEqual([query.split('=')[0]]);
    },
  );

  it.each([
    ['a query', `/v2/swap/quote?${priced}&pixKey=a%00`],
    ['a path', '/actions/a%00'],
  ])('refuses a NUL in %s', async (_, path) => {
    expect(Object.values(await problemsOf(await edge.fetch(path)))).toEqual(['must not contain the NUL character']);
  });

  it.each([
    ['a NUL', '"\\u0000"'],
    ['a lone surrogate', '"\\ud800"'],
  ])('refuses %s in a body, wherever it is', async (_, text) => {
    const own = await post('/v2/swap/bytecode', `{"quoteId":"${QUOTE_ID}","pixKey":${text}}`);
    expect(Object.keys(await problemsOf(own))).toEqual(['pixKey']);
    const nested = await post('/v2/swap/bytecode', `{"quoteId":"${QUOTE_ID}","rawQuote":{"a":[${text}]}}`);
    expect(Object.keys(await problemsOf(nested))).toEqual(['rawQuote']);
  });

  it.each([
    ['no JSON', '{"quoteId":'],
    ['an array', '[]'],
    ['a text', '"x"'],
    ['a __proto__ key', '{"__proto__":{"quoteId":"x"}}'],
    ['an escaped __proto__ key', '{"\\u005f_proto__":{"quoteId":"x"}}'],
    ['a constructor.prototype key', '{"constructor":{"prototype":{"a":1}}}'],
    ['nothing', ''],
    ['deep nesting', `{"quoteId":"${QUOTE_ID}","rawQuote":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ])('refuses a body with %s', async (_, body) => {
    await problemsOf(await post('/v2/swap/bytecode', body));
    expect(({} as Record<string, unknown>)['quoteId']).toBeUndefined();
  });

  it('refuses a body of another type, in another encoding, or not in UTF-8', async () => {
    const body = JSON.stringify({ quoteId: QUOTE_ID });
    const typed = (type: string, content: string | Uint8Array = body) =>
      edge.fetch('/v2/swap/bytecode', { method: 'POST', headers: { 'content-type': type }, body: content as never });
    expect(await problemsOf(await typed('text/plain'))).toHaveProperty('content-type');
    expect(await problemsOf(await typed('application/json; charset=utf-16'))).toHaveProperty('content-type');
    expect(await problemsOf(await typed('application/json', new Uint8Array([0x22, 0xff, 0x22])))).toHaveProperty(
      'body',
    );
    expect((await typed('application/json; charset=UTF-8')).status).toBe(200);
  });

  it('prefers the path parameter to the body', async () => {
    const response = await post(`/actions/${QUOTE_ID}/transactions`, { id: 'nonsense', txHash: '0x1' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ignored-parameters')).toBe('id');
  });

  it('lists ignored parameters in a header, safe from header injection', async () => {
    const name = encodeURIComponent('a\r\nset-cookie: b=ü');
    const response = await edge.fetch(`/v2/swap/quote?${priced}&markupBps=10&${name}=1&__proto__=2`);
    expect(response.headers.get('x-ignored-parameters')).toBe('markupBps, a__set-cookie__b__, __proto__');
    const posted = await post('/v2/swap/bytecode?quoteId=x', { quoteId: QUOTE_ID, sender: 'x' });
    expect(posted.headers.get('x-ignored-parameters')).toBe('quoteId, sender');
  });

  it('lists ignored parameters of an invalid request too: a misspelt one explains the missing one', async () => {
    const queried = await edge.fetch(`/actions?walletAdress=${QUOTE_ID}`);
    expect(queried.headers.get('x-ignored-parameters')).toBe('walletAdress');
    expect(await problemsOf(queried)).toEqual({ walletAddress: 'is required' });
    const posted = await post('/v2/swap/bytecode', { quoteID: QUOTE_ID });
    expect(posted.headers.get('x-ignored-parameters')).toBe('quoteID');
    expect(await problemsOf(posted)).toEqual({ quoteId: 'is required' });
  });

  it('takes an empty string in a body as "not given", as in a query', async () => {
    const optional = { accountId: '', webhookURL: '', thirdParty: '', output: '' };
    expect((await post('/v2/swap/bytecode', { quoteId: QUOTE_ID, ...optional })).status).toBe(200);
    expect(Object.keys(seen[0]!)).toEqual(['quoteId']);
    expect(await problemsOf(await post('/v2/swap/bytecode', { quoteId: '' }))).toEqual({ quoteId: 'is required' });
  });

  it('passes raw quotes through unchanged', async () => {
    const rawQuote = { z: 1, a: [{ deep: 'ä', n: 1.5 }], constructor: 'fine' };
    expect((await post('/v2/swap/bytecode', { quoteId: QUOTE_ID, rawQuote })).status).toBe(200);
    expect(JSON.stringify(seen[0]!['rawQuote'])).toBe(JSON.stringify(rawQuote));
  });
});

describe('a GET that may write', () => {
  // The first status request starts the verification at the ramp.
  it.each([`/v2/swap/quote?${priced}`, `/api/v1/kyc/status?kycUserId=${QUOTE_ID}`])(
    'is not cached, has no HEAD and refuses to be prefetched: %s',
    async (path) => {
      expect((await edge.fetch(path)).headers.get('cache-control')).toBe('no-store');
      const head = await edge.fetch(path, { method: 'HEAD' });
      expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET, OPTIONS']);
      seen.splice(0);
      const purposes = { purpose: 'prefetch', 'sec-purpose': 'prefetch;prerender' };
      for (const [name, value] of Object.entries(purposes)) {
        const response = await edge.fetch(path, { headers: { [name]: value } });
        expect(Object.keys(await problemsOf(response))).toEqual([name]);
      }
      expect(seen).toEqual([]);
    },
  );
});

it('returns the headers of GET for HEAD on read-only routes', async () => {
  const get = await edge.fetch(`/actions/${QUOTE_ID}`);
  const head = await edge.fetch(`/actions/${QUOTE_ID}`, { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  expect(await head.text()).toBe('');
});

describe('Idempotency-Key', () => {
  it('replays the first response to the same request, and refuses another request', async () => {
    const headers = { 'idempotency-key': 'key-1' };
    const first = await post('/v2/swap/bytecode', { quoteId: QUOTE_ID }, headers);
    const second = await post('/v2/swap/bytecode', ` {"quoteId" : "${QUOTE_ID}"}`, headers);
    expect(await second.text()).toBe(await first.text());
    expect([first, second].map((response) => response.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(second.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(seen).toHaveLength(1);
    const other = await post('/v2/swap/bytecode', { quoteId: QUOTE_ID, accountId: 'x' }, headers);
    expect(Object.keys(await problemsOf(other))).toEqual(['idempotency-key']);
  });

  it('does not replay a retryable refusal: the repeated request runs', async () => {
    const body = { quoteId: QUOTE_ID, accountId: 'busy' };
    const send = () => post('/v2/swap/bytecode', body, { 'idempotency-key': 'key-2' });
    const [first, second] = [await send(), await send()];
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '60']);
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([200, null]);
    expect((await send()).headers.get('idempotency-replayed')).toBe('true');
  });

  it('must be visible ASCII of at most 255 characters', async () => {
    const response = await post('/v2/swap/bytecode', { quoteId: QUOTE_ID }, { 'idempotency-key': 'x'.repeat(256) });
    expect(Object.keys(await problemsOf(response))).toEqual(['idempotency-key']);
  });
});
