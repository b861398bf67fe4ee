import { cpus } from 'node:os';
import path from 'node:path';
import { load } from './load';
import { percentile, table } from './report';
import { type EmbeddedServer, withEmbeddedServer } from './with-embedded-server';

const PER_SECOND = 50;
const SECONDS = 30;
/** Duration of the warm-up, until all code is compiled and all caches are filled. */
const WARM_UP_SECONDS = 8;
/** Maximum milliseconds on top of the slowest provider. */
const BOUNDS = { p50: 5, p99: 25 } as const;

/** Measures how much longer a quote takes than the slowest provider that it waits for. */
const main = (): Promise<void> => withEmbeddedServer(path.join(__dirname, 'server.js'), measure);

async function measure({ server, apiKey }: EmbeddedServer): Promise<void> {
  const common = { server, apiKey, perSecond: PER_SECOND };
  await load({ ...common, seconds: WARM_UP_SECONDS, firstAmount: 1_000_000 });
  const before = await server.times();
  const times = await load({ ...common, seconds: SECONDS, firstAmount: 2_000_000 });
  const after = await server.times();
  const samples = [...times].map(([amount, total]) => ({ total, provider: after.ownTimes.get(amount) ?? NaN }));
  const added = samples.map(({ total, provider }) => total - provider);
  const cpu = (after.cpuMicroseconds - before.cpuMicroseconds) / samples.length / 1000;
  console.log(
    `${cpus().length} cores, Node ${process.version}, ${PER_SECOND} quotes a second for ${SECONDS} seconds\n`,
  );
  console.log(
    table([
      ['response', samples.map(({ total }) => total)],
      ['slowest provider', samples.map(({ provider }) => provider)],
      ['added by the service', added],
    ]),
  );
  console.log(`\nCPU time of the service: ${cpu.toFixed(2)} ms a quote`);
  const exceeded = percentile(added, 50) > BOUNDS.p50 || percentile(added, 99) > BOUNDS.p99;
  if (exceeded) {
    console.error(`\nThe service adds more than ${BOUNDS.p50} ms in the median or ${BOUNDS.p99} ms at p99.`);
    process.exitCode = 1;
  }
}

void main();
