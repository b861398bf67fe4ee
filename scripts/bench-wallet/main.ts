import { cpus } from 'node:os';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, print } from 'graphql';
import { restView } from '../../gateway/rest/rest-view';
import { routeDocument } from '../../gateway/rest/route-document';
import { ROUTES } from '../../gateway/rest/route-table';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { invariant } from '../../src/errors/invariant-error';
import { type BenchWallet, fill } from '../bench-history/fill';
import { percentile } from '../bench-quotes/report';
import { type EmbeddedServer, withEmbeddedServer } from '../bench-quotes/with-embedded-server';
import { fund } from './fund';
import { load, type OverviewRequest } from './load';

const SMALL = { address: '0x0000000000000000000000000000000000010000', actions: 10_000 } as const satisfies BenchWallet;
const LARGE = {
  address: '0x0000000000000000000000000000000000200000',
  actions: 200_000,
} as const satisfies BenchWallet;
const SECONDS = 8;
const WARM_UP_SECONDS = 4;
const MAX_RATIO = 1.25;
const MAX_STATEMENTS = 4;

/** Measures the overview of wallets with 50 tokens on two chains, and 10,000 and 200,000 actions. */
const main = (): Promise<void> =>
  withEmbeddedServer(path.join(__dirname, 'server.js'), async (embedded) => {
    await fill(embedded.databaseUrl, { customer: embedded.customerId, wallets: [SMALL, LARGE] });
    await fund(embedded, [SMALL.address, LARGE.address]);
    await measure(embedded);
  });

async function measure(embedded: EmbeddedServer): Promise<void> {
  console.log(`${String(cpus().length)} cores, Node ${process.version}, ${String(SECONDS)} seconds each\n`);
  console.log(line(['request', 'in progress', 'per second', 'p50 ms', 'p99 ms', 'CPU ms', 'statements']));
  console.log(`| ${'-'.repeat(28)} |${' ---------: |'.repeat(6)}`);
  const small = await measureRequest(embedded, overview('REST, 10,000 actions', SMALL), 1);
  const large = await measureRequest(embedded, overview('REST, 200,000 actions', LARGE), 1);
  await measureRequest(embedded, graphQl('GraphQL, 10,000 actions', SMALL), 1);
  await measureRequest(embedded, { ...overview('REST, 100 pages in turns', SMALL), pages: 100 }, 1);
  await measureRequest(embedded, overview('REST, 10,000 actions', SMALL), 16);
  await measureRequest(embedded, graphQl('GraphQL, 10,000 actions', SMALL), 16);
  const ratio = large.p50 / small.p50;
  console.log(`\n200,000 actions take ${ratio.toFixed(2)} times as long as 10,000 in the median.`);
  if (ratio <= MAX_RATIO && small.statements <= MAX_STATEMENTS) return;
  console.error(`\nMore than ${String(MAX_RATIO)} times as long, or more than ${String(MAX_STATEMENTS)} statements.`);
  process.exitCode = 1;
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
): Promise<{ readonly p50: number; readonly statements: number }> {
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
  return { p50, statements };
}

const line = ([title = '', ...cells]: readonly string[]): string =>
  `| ${title.padEnd(28)} | ${cells.map((cell) => cell.padStart(10)).join(' | ')} |`;

void main();
