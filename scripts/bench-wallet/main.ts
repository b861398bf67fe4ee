import { cpus } from 'node:os';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, print } from 'graphql';
import { restView } from '../../gateway/rest/rest-view';
import { routeDocument } from '../../gateway/rest/route-document';
import { ROUTES } from '../../gateway/rest/route-table';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { invariant } from '../../src/errors/invariant-error';
import { type BenchWallet, fill, LARGE, SMALL } from '../bench-history/fill';
import { percentile } from '../bench-quotes/report';
import { type EmbeddedServer, withEmbeddedServer } from '../bench-quotes/with-embedded-server';
import { addStrategies, deposit } from './deposit';
import { fund } from './fund';
import { load, type OverviewRequest } from './load';

const SECONDS = 8;
const WARM_UP_SECONDS = 4;
const MAX_RATIO = 1.2;
const MAX_STATEMENTS = 4;
const POSITIONS = 20;
/** Requests of the load: the goals are for one core. */
const IN_PROGRESS = 16;
const MIN_REST_PER_SECOND = 300;
const MIN_GRAPHQL_PER_SECOND = 200;
const MAX_P99_MS = 60;

/** Measures the overview of wallets with 50 tokens and 20 positions on two chains, and 10,000 and 1,000,000 actions. */
const main = (): Promise<void> =>
  withEmbeddedServer(
    path.join(__dirname, 'server.js'),
    async (embedded) => {
      await fill(embedded.databaseUrl, { customer: embedded.customerId, wallets: [SMALL, LARGE] });
      await fund(embedded, [SMALL.address, LARGE.address]);
      invariant((await deposit(embedded, [SMALL.address, LARGE.address])) === POSITIONS, 'positions are missing');
      await measure(embedded);
    },
    addStrategies,
  );

async function measure(embedded: EmbeddedServer): Promise<void> {
  console.log(`${String(cpus().length)} cores, Node ${process.version}, ${String(SECONDS)} seconds each\n`);
  console.log(line(['request', 'in progress', 'per second', 'p50 ms', 'p99 ms', 'CPU ms', 'statements']));
  console.log(`| ${'-'.repeat(28)} |${' ---------: |'.repeat(6)}`);
  const small = await measureRequest(embedded, overview('REST, 10,000 actions', SMALL), 1);
  const large = await measureRequest(embedded, overview('REST, 1,000,000 actions', LARGE), 1);
  await measureRequest(embedded, graphQl('GraphQL, 10,000 actions', SMALL), 1);
  const pages = await comparePages(embedded);
  const rest = await measureRequest(embedded, overview('REST, 10,000 actions', SMALL), IN_PROGRESS);
  const graph = await measureRequest(embedded, graphQl('GraphQL, 10,000 actions', SMALL), IN_PROGRESS);
  const ratios = [large.p50 / small.p50, pages];
  console.log(
    `\n1,000,000 actions take ${ratios.map((ratio) => ratio.toFixed(2)).join(' and ')} times as long as 10,000.`,
  );
  const missed = [
    ...(ratios.every((ratio) => ratio <= MAX_RATIO) ? [] : [`more than ${String(MAX_RATIO)} times as long`]),
    ...(small.statements <= MAX_STATEMENTS ? [] : [`more than ${String(MAX_STATEMENTS)} statements`]),
    ...(rest.perSecond >= MIN_REST_PER_SECOND
      ? []
      : [`fewer than ${String(MIN_REST_PER_SECOND)} REST requests a second`]),
    ...(rest.p99 <= MAX_P99_MS ? [] : [`p99 above ${String(MAX_P99_MS)} ms`]),
    ...(graph.perSecond >= MIN_GRAPHQL_PER_SECOND
      ? []
      : [`fewer than ${String(MIN_GRAPHQL_PER_SECOND)} GraphQL requests a second`]),
  ];
  if (missed.length === 0) return;
  console.error(`\nMissed: ${missed.join('; ')}.`);
  process.exitCode = 1;
}

/** How much longer pages of the large history take. No response is kept from an earlier one. */
async function comparePages(embedded: EmbeddedServer): Promise<number> {
  const small = await measureRequest(embedded, { ...overview('REST, 100 pages, 10,000', SMALL), pages: 100 }, 1);
  const large = await measureRequest(embedded, { ...overview('REST, 100 pages, 1,000,000', LARGE), pages: 100 }, 1);
  return large.p50 / small.p50;
}

const overview = (title: string, { address }: BenchWallet): OverviewRequest => ({
  title,
  method: 'GET',
  path: `/v2/wallets/${address}`,
});

/** The document that the route executes. */
function graphQl(title: string, { address }: BenchWallet): OverviewRequest {
  const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'));
  const route = ROUTES.find(({ operation }) => operation === 'Query.wallet');
  invariant(route, 'the route of the overview is missing');
  const query = print(routeDocument(restView(schema, [route]), route));
  const included = ['tokens', 'earn', 'earn_positions_investmentActions', 'history'];
  const conditions = Object.fromEntries(included.map((name) => [`include_${name}`, true] as const));
  const variables = { address, ...conditions };
  return { title, method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) };
}

async function measureRequest(
  { server, apiKey }: EmbeddedServer,
  request: OverviewRequest,
  connections: number,
): Promise<Readonly<Record<'perSecond' | 'p50' | 'p99' | 'statements', number>>> {
  const options = { url: server.url, apiKey, connections };
  await load(request, { ...options, seconds: WARM_UP_SECONDS });
  const before = await server.times();
  const { times, perSecond } = await load(request, { ...options, seconds: SECONDS });
  const after = await server.times();
  const statements = ((after.statements ?? NaN) - (before.statements ?? NaN)) / times.length;
  const cpu = (after.cpuMicroseconds - before.cpuMicroseconds) / times.length / 1000;
  const [p50, p99] = [percentile(times, 50), percentile(times, 99)];
  const cells = [perSecond, p50, p99, cpu, statements].map((value) => value.toFixed(1));
  console.log(line([request.title, String(connections), ...cells]));
  return { perSecond, p50, p99, statements };
}

const line = ([title = '', ...cells]: readonly string[]): string =>
  `| ${title.padEnd(28)} | ${cells.map((cell) => cell.padStart(10)).join(' | ')} |`;

void main();
