import { cpus } from 'node:os';
import path from 'node:path';
import { percentile, table } from '../bench-quotes/report';
import { type EmbeddedServer, withEmbeddedServer } from '../bench-quotes/with-embedded-server';
import { CHEAP, createClient, measureCapacity, type Sample, sendSteadily } from './load';

const WARM_UP_SECONDS = 6;
const CAPACITY_SECONDS = 10;
const OVERLOAD_SECONDS = 15;
/** Requests in progress while the capacity is measured. */
const CONCURRENCY = 24;
/** Rate of the requests for quotes during the overload, as a multiple of the capacity. */
const OVERLOAD = 3;
const CHEAP_LOAD = { perSecond: 20, first: 0 } as const;
/** Time in which cheap requests are sent alone, for comparison. */
const UNDISTURBED_SECONDS = 4;
const BOUNDS = { goodput: 0.8, cheapP99Ms: 200 } as const;

/** Measures how much the service achieves, and how fast cheap requests are, above its capacity of quotes. */
const main = (): Promise<void> => withEmbeddedServer(path.join(__dirname, 'server.js'), measure);

async function measure({ server, apiKey }: EmbeddedServer): Promise<void> {
  const client = createClient({ server, apiKey });
  try {
    await measureCapacity(client.requestQuote, { concurrency: CONCURRENCY, seconds: WARM_UP_SECONDS });
    const capacity = await measureCapacity((number) => client.requestQuote(1e6 + number), {
      concurrency: CONCURRENCY,
      seconds: CAPACITY_SECONDS,
    });
    const undisturbed = await sendSteadily(client.requestCheap, { ...CHEAP_LOAD, seconds: UNDISTURBED_SECONDS });
    const startedAt = performance.now();
    const [quotes, cheap] = await Promise.all([
      sendSteadily(client.requestQuote, {
        perSecond: capacity * OVERLOAD,
        seconds: OVERLOAD_SECONDS,
        first: 2e6,
      }),
      sendSteadily(client.requestCheap, { ...CHEAP_LOAD, seconds: OVERLOAD_SECONDS }),
    ]);
    const seconds = (performance.now() - startedAt) / 1000;
    report({ capacity, undisturbed, quotes, cheap, seconds });
  } finally {
    await client.close();
  }
}

interface Measured {
  readonly capacity: number;
  /** Cheap requests before the overload. */
  readonly undisturbed: readonly Sample[];
  readonly quotes: readonly Sample[];
  readonly cheap: readonly Sample[];
  /** Time from the first request of the overload to the last response. */
  readonly seconds: number;
}

function report({ capacity, undisturbed, quotes, cheap, seconds }: Measured): void {
  const timesOf = (samples: readonly Sample[]): readonly number[] => samples.map(({ milliseconds }) => milliseconds);
  const [served, refused, failed] = (['served', 'refused', 'failed'] as const).map((outcome) =>
    quotes.filter((sample) => sample.outcome === outcome),
  ) as [Sample[], Sample[], Sample[]];
  const failedCheap = cheap.filter(({ outcome }) => outcome !== 'served').length;
  const goodput = served.length / seconds / capacity;
  const cheapP99 = percentile(timesOf(cheap), 99);
  console.log(`${cpus().length} cores, Node ${process.version}`);
  console.log(`capacity: ${capacity.toFixed(1)} quotes a second with ${CONCURRENCY} at a time`);
  console.log(
    `at ${OVERLOAD} times the capacity for ${OVERLOAD_SECONDS} seconds: ${served.length} served, ${refused.length} refused, ${failed.length} failed`,
  );
  console.log(`goodput: ${goodput.toFixed(2)} of the capacity (at least ${BOUNDS.goodput})`);
  console.log(
    `cheap requests: p99 ${cheapP99.toFixed(0)} ms (at most ${BOUNDS.cheapP99Ms}), ${failedCheap} of ${cheap.length} failed\n`,
  );
  console.log(
    table([
      ['cheap requests alone', timesOf(undisturbed)],
      ['cheap requests', timesOf(cheap)],
      ...CHEAP.map(
        ({ name }, kind) => [`  ${name}`, timesOf(cheap.filter((_, index) => index % CHEAP.length === kind))] as const,
      ),
      ['served quotes', timesOf(served)],
      ['refused quotes', timesOf(refused)],
    ]),
  );
  if (goodput >= BOUNDS.goodput && cheapP99 <= BOUNDS.cheapP99Ms && failedCheap === 0) return;
  console.error('\nA bound is not met.');
  process.exitCode = 1;
}

void main();
