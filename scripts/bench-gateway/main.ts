import { cpus } from 'node:os';
import { DESIGNS, type Design } from './designs';
import { measure } from './measure';
import { OPERATIONS } from './operations';
import { compare, exceedsBound, table } from './report';
import { type ServerProcess, startServer } from './server-process';

/** No new round starts after this time. */
const BUDGET_MS = 75_000;

const LEGEND = `bare       a handler written by hand on Fastify alone: no credential, no limit, no log, no headers of ours
by hand    the same handler on the gateway's edge: request id, credential, rate limit, deadline, CORS, envelope, request log,
           turn of the caller, scope of the customer
generated  the gateway: route table, coercion, federated plan over two subgraphs, compiled serializer; Apollo for GraphQL
ratio      generated / by hand, the median over the rounds`;

/** Compares the CPU time of a request at the gateway with the CPU time at a handwritten handler. */
async function main(): Promise<void> {
  const deadline = performance.now() + BUDGET_MS;
  const servers = await startAll();
  try {
    const measured = await measure(servers, OPERATIONS, deadline);
    const comparisons = [...measured].map(([operation, measurement]) => compare(operation, measurement));
    const rounds = Math.min(...comparisons.map(({ measurement }) => measurement.edge.length));
    console.log(`${cpus().length} cores, Node ${process.version}, at least ${rounds} rounds\n`);
    console.log(`${table(comparisons)}\n\n${LEGEND}`);
    const exceeded = comparisons.filter(exceedsBound);
    for (const { operation } of exceeded) console.error(`\n${operation.title} exceeds its bound.`);
    if (exceeded.length > 0) process.exitCode = 1;
  } finally {
    for (const server of Object.values(servers)) server.stop();
  }
}

async function startAll(): Promise<Record<Design, ServerProcess>> {
  const started = await Promise.all(DESIGNS.map(async (design) => [design, await startServer(design)] as const));
  return Object.fromEntries(started) as Record<Design, ServerProcess>;
}

void main();
