import 'reflect-metadata';
import { cpus } from 'node:os';
import { invariant } from '../../src/errors/invariant-error';
import { benchWithDatabase } from '../bench-database';
import { type CatalogGateway, startCatalogGateway } from './catalog-gateway';

const [SMALL, REFRESHED, LARGE] = [100, 1000, 10_000];
const ROUNDS = 300;
const WARM_UP = 100;
const MAX_RATIO = 1.2;
const MAX_CALLS = 10;

/** Measures `GET /strategies?limit=100` with 100 and 10,000 strategies, and the calls that a refresh takes. */
async function bench(): Promise<void> {
  const refreshed = await startCatalogGateway(REFRESHED);
  await refreshed.stop();
  // One after the other: the scripted nodes take the time of this process.
  const gateways = [await startCatalogGateway(SMALL), await startCatalogGateway(LARGE)] as const;
  try {
    const [small, large] = await measure(gateways);
    const ratio = large / small;
    console.log(
      `${String(cpus().length)} cores, Node ${process.version}; lower quartile of ${String(ROUNDS)} requests\n`,
    );
    console.log(`- GET /strategies?limit=100 with ${String(SMALL)} strategies: ${small.toFixed(2)} ms`);
    console.log(`- with ${String(LARGE)} strategies: ${large.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`);
    console.log(`- refresh of ${String(REFRESHED)} strategies: ${String(refreshed.refreshCalls)} calls`);
    report([
      ...(ratio > MAX_RATIO ? [`${String(LARGE)} strategies take ${ratio.toFixed(2)} times as long`] : []),
      ...(refreshed.refreshCalls > MAX_CALLS ? [`a refresh takes more than ${String(MAX_CALLS)} calls`] : []),
    ]);
  } finally {
    for (const gateway of gateways) await gateway.stop();
  }
}

/** Alternates between the gateways, so that other load of the machine slows both. */
async function measure([small, large]: readonly [CatalogGateway, CatalogGateway]): Promise<readonly [number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const pair = [await request(small), await request(large)] as const;
    if (round < WARM_UP) continue;
    times[0].push(pair[0]);
    times[1].push(pair[1]);
  }
  return [lowerQuartile(times[0]), lowerQuartile(times[1])];
}

const lowerQuartile = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)] ?? NaN;

/** Time of a request in milliseconds, with its whole body. */
async function request({ url, apiKey }: CatalogGateway): Promise<number> {
  const start = performance.now();
  const response = await fetch(`${url}/strategies?limit=100`, { headers: { 'x-api-key': apiKey } });
  const body = await response.text();
  const elapsed = performance.now() - start;
  invariant(response.status === 200 && body.length > 10_000, `the list has the status ${String(response.status)}`);
  return elapsed;
}

function report(problems: readonly string[]): void {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

void benchWithDatabase(bench);
