import { until } from '../resilience/until';
import { type Edge, KEY, OTHER_KEY, QUOTE, QUOTE_ID, startEdge, WALLET } from './edge';

const QUOTE_PATH = '/v2/swap/quote?originChain=base&destinationChain=base&tokenIn=a&tokenOut=b&amountIn=1';
const TICKS = 'subscription { ticks(count: 1) }';
const QUOTES = '{ swapQuotes(originChain: "base", tokenIn: "a", tokenOut: "b") { provider } }';

/** Quotes and executions that end when the test says so. */
function heldWork() {
  let arrived = 0;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const held = (result: unknown) => async () => {
    arrived += 1;
    await ended;
    return result;
  };
  return {
    roots: {
      'Query.swapQuote': held({ quote: QUOTE }),
      'Query.swapQuotes': held([{ provider: 'test', quote: QUOTE }]),
      'Mutation.createSwapTransaction': held({ id: QUOTE_ID, chainId: 8453, quoteId: QUOTE_ID, transactionData: [] }),
    },
    arrived: () => arrived,
    end: () => end(),
  };
}

const LIMITS = { QUOTE_CONCURRENCY: 2, EXECUTION_CONCURRENCY: 1, QUEUE_LIMIT: 2, QUEUE_TIMEOUT_MS: 600_000 };

let edge: Edge;
let work: ReturnType<typeof heldWork>;
async function start(): Promise<void> {
  work = heldWork();
  edge = await startEdge({ heavyWork: LIMITS, config: { REQUEST_TIMEOUT_MS: 600_000 }, roots: work.roots });
}
afterEach(async () => {
  work.end();
  await edge.close();
});

const arrived = (count: number) => until(`${count} arrived`, () => work.arrived() === count);
const waiting = (lane: 'quotes' | 'executions', count: number) =>
  until(`${count} ${lane} wait`, () => edge.heavyWork.state[lane].waiting === count);
const quote = (key = KEY) => edge.fetch(QUOTE_PATH, { headers: { 'x-api-key': key } });
const graphql = (query: string, headers: Record<string, string> = {}) =>
  edge.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
const execute = (headers: Record<string, string> = {}) =>
  edge.fetch('/v2/swap/bytecode', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ quoteId: QUOTE_ID }),
  });
const statusesOf = async (responses: readonly Promise<Response>[]) =>
  (await Promise.all(responses)).map(({ status }) => status);

/** Takes both places of quotes and fills the queue. */
async function fill(): Promise<readonly Promise<Response>[]> {
  const running = [quote(), quote()];
  await arrived(2);
  const queued = [quote(), quote()];
  await waiting('quotes', 2);
  return [...running, ...queued];
}

test('cheap requests are served while all places of quotes are taken', async () => {
  await start();
  const filled = await fill();
  const cheap = [`/v2/swap/status/${QUOTE_ID}`, `/actions?walletAddress=${WALLET}`, `/actions/${QUOTE_ID}`, '/health'];
  expect(await statusesOf([...cheap.map((path) => edge.fetch(path)), graphql('{ me { id } }')])).toEqual([
    200, 200, 200, 200, 200,
  ]);
  work.end();
  expect(await statusesOf(filled)).toEqual([200, 200, 200, 200]);
});

test('a quote that would not be served in time gets SERVICE_UNAVAILABLE with Retry-After at once, over REST and GraphQL', async () => {
  await start();
  const filled = await fill();
  const stream = { accept: 'text/event-stream' };
  for (const refused of [quote(), graphql(QUOTES), graphql(QUOTES, stream)]) {
    const { status, headers } = await refused;
    const body: any = await (await refused).json();
    const { code, details } = body.error ?? body.errors[0].extensions;
    expect({ status, code, details, retryAfter: headers.get('retry-after') }).toEqual({
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      details: { retryAfter: 600, requestId: expect.any(String) },
      retryAfter: '600',
    });
  }
  expect(work.arrived()).toBe(2);
  work.end();
  expect(await statusesOf(filled)).toEqual([200, 200, 200, 200]);
  expect(await statusesOf([quote(), graphql(QUOTES), graphql(TICKS, stream)])).toEqual([200, 200, 200]);
});

test('refusals are not logged as failures of the service', async () => {
  await start();
  const filled = await fill();
  await quote();
  work.end();
  await Promise.all(filled);
  expect(edge.log.filter(({ msg }) => msg === 'request failed')).toEqual([]);
});

test('a customer that fills the queue makes room for another customer', async () => {
  await start();
  const [first, second, third, last] = await fill();
  const other = quote(OTHER_KEY);
  expect((await last!).status).toBe(503);
  work.end();
  expect(await statusesOf([first!, second!, third!, other])).toEqual([200, 200, 200, 200]);
});

test('executions have places of their own', async () => {
  await start();
  const filled = await fill();
  const executing = execute();
  await arrived(3);
  work.end();
  expect(await statusesOf([executing, ...filled])).toEqual([200, 200, 200, 200, 200]);
});

test('a refused execution does not use up its idempotency key', async () => {
  await start();
  const filled = [execute()];
  await arrived(1);
  filled.push(execute(), execute());
  await waiting('executions', 2);
  const keyed = { 'idempotency-key': 'one' };
  expect((await execute(keyed)).status).toBe(503);
  work.end();
  expect(await statusesOf(filled)).toEqual([200, 200, 200]);
  expect((await execute(keyed)).status).toBe(200);
});

test('each aliased quote of an operation takes a place, unless a condition removes it', async () => {
  await start();
  const filled = await fill();
  const field = (alias: string, include: boolean) =>
    `${alias}: ${QUOTES.slice(2, -2).replace(' {', ` @include(if: ${include}) {`)}`;
  expect((await graphql(`{ me { id } ${field('a', false)} }`)).status).toBe(200);
  work.end();
  await Promise.all(filled);
  await edge.close();
  await start();
  const both = graphql(`{ ${field('a', true)} ...F } fragment F on Query { ${field('b', true)} }`);
  await arrived(2);
  expect(edge.heavyWork.state.quotes.running).toBe(2);
  work.end();
  expect((await both).status).toBe(200);
  expect(edge.heavyWork.state.quotes.running).toBe(0);
});

test('a caller that leaves while it waits gives up its place in the queue', async () => {
  await start();
  const running = [quote(), quote()];
  await arrived(2);
  const controller = new AbortController();
  const gone = edge.fetch(QUOTE_PATH, { signal: controller.signal }).catch(() => undefined);
  await waiting('quotes', 1);
  controller.abort();
  await gone;
  await waiting('quotes', 0);
  work.end();
  expect(await statusesOf(running)).toEqual([200, 200]);
  expect(work.arrived()).toBe(2);
});
