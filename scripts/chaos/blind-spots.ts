import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { SUBGRAPH_NAMES } from '../../src/main/subgraphs';
import { requireThat } from './chaos-failure';
import { type ServiceProcess, startGateway, startService } from './service-process';
import type { Scenario } from './scenario';

const UNREACHABLE = 'http://127.0.0.1:9';

const logLine = z.object({ msg: z.string() });
const messageOf = (line: string): string => logLine.parse(JSON.parse(line)).msg;

const reportSchema = z.object({
  status: z.string(),
  checks: z.object({
    jobs: z.string(),
    subgraphs: z.record(z.string(), z.string()).optional(),
    identityProvider: z.string().optional(),
    chains: z.record(z.string(), z.object({ status: z.string(), reason: z.string().optional() })),
  }),
});

const healthOf = async ({ url }: ServiceProcess) => reportSchema.parse(await (await fetch(`${url}/health`)).json());

/** A node of another chain than configured. */
async function startWrongNode(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const calls = z.array(z.object({ id: z.number() })).parse([JSON.parse(Buffer.concat(chunks).toString())].flat());
      response.end(JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }))));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

/** Faults of dependencies that a running service must see by itself and report in its log and in its health. */
export const BLIND_SPOTS: readonly Scenario[] = [
  {
    name: 'a node of another chain, an unreachable identity provider and absent workers are reported',
    async run({ settings }) {
      const node = await startWrongNode();
      const jwt = { JWKS_URL: `${UNREACHABLE}/jwks.json`, JWT_ISSUER: 'issuer', JWT_AUDIENCE: 'audience' };
      const gateway = await startService({
        ...settings,
        ...jwt,
        ROLE: 'gateway',
        RPC_URL_BASE: node.url,
        RATE_LIMIT_PER_MINTUE: '5',
      });
      const sentences = [
        await gateway.waitForLog('RATE_LIMIT_PER_MINTUE is not a setting'),
        await gateway.waitForLog('RPC_URL_BASE leads to a node of chain 1'),
        await gateway.waitForLog('the identity provider does not respond at JWKS_URL'),
      ].map(messageOf);
      const { status, checks } = await healthOf(gateway);
      const seen = { status, jobs: checks.jobs, jwks: checks.identityProvider, base: checks.chains['base']?.status };
      await gateway.stop();
      node.server.close();
      const wanted = { status: 'degraded', jobs: 'down', jwks: 'down', base: 'down' };
      requireThat(JSON.stringify(seen) === JSON.stringify(wanted), `health: ${JSON.stringify(seen)}`);
      return [...sentences, `GET /health: ${JSON.stringify(seen)}`];
    },
  },
  {
    name: 'a wrong INTERNAL_SECRET and a wrong clock are reported on both sides; absent subgraphs by the gateway',
    async run({ settings }) {
      const customers = await startService({ ...settings, ROLE: 'subgraph', SUBGRAPH: 'customers' });
      const remote = { ...settings, ROLE: 'gateway', SUBGRAPH_URL_CUSTOMERS: `${customers.url}/graphql` };
      // A gateway that can use one subgraph stays ready.
      const others = SUBGRAPH_NAMES.filter((name) => name !== 'customers');
      const absent = Object.fromEntries(
        others.map((name) => [`SUBGRAPH_URL_${name.toUpperCase()}`, `${UNREACHABLE}/graphql`]),
      );
      const wrong = await startService({ ...remote, ...absent, INTERNAL_SECRET: 'ef'.repeat(32) });
      const sentences = [
        await wrong.waitForLog('the subgraph customers refuses the signature'),
        await wrong.waitForLog('the subgraph kyc does not respond'),
        await customers.waitForLog('signed with another secret'),
      ].map(messageOf);
      const ready = await fetch(`${wrong.url}/health/ready`);
      requireThat(
        ready.status === 503,
        `a gateway that can use no subgraph reports ${String(ready.status)} as its readiness`,
      );
      await wrong.stop();
      const skewed = await startService(remote, { clockMs: 90_000 });
      sentences.push(messageOf(await customers.waitForLog('in the future')));
      await skewed.stop();
      const alive = await fetch(`${customers.url}/health/ready`);
      requireThat(alive.status === 200, `the subgraph reports ${String(alive.status)} as its readiness`);
      await customers.stop();
      return sentences;
    },
  },
  {
    name: 'a worker has health routes, and a gateway sees it',
    async run({ settings }) {
      const worker = await startService({ ...settings, ROLE: 'worker' });
      const gateway = await startGateway(settings);
      const [own, seen] = [await healthOf(worker), await healthOf(gateway)];
      await Promise.all([worker.stop(), gateway.stop()]);
      const [jobs, elsewhere] = [own.checks.jobs, seen.checks.jobs];
      requireThat(
        jobs === 'ok' && elsewhere === 'elsewhere',
        `jobs: ${jobs} at the worker, ${elsewhere} at the gateway`,
      );
      return [`GET /health: jobs "${jobs}" at the worker, "${elsewhere}" at the gateway`];
    },
  },
];
