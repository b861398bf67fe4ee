import 'reflect-metadata';
import type { FastifyInstance } from 'fastify';
import { createGeneratedServer } from './generated-server';
import { createBareServer, createEdgeServer } from './hand-written-servers';
import type { Design } from './designs';

const CREATE: Readonly<Record<Design, () => Promise<FastifyInstance>>> = {
  bare: createBareServer,
  edge: createEdgeServer,
  generated: createGeneratedServer,
};

/** The measured process: prints its address, then responds to every message with its CPU time so far, in µs. */
async function main(): Promise<void> {
  const app = await CREATE[process.argv[2] as Design]();
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.on('disconnect', () => process.exit());
  process.send?.(url);
}

void main();
