import { startKillableService } from '../../test/e2e/killed-service';
import { proveSwaps } from './prove-swaps';
import type { ProvedSwap } from './proved-swap';
import { report } from './report';
import { SHARES_BPS } from './swap-cases';

const COUNT = 200;
const SEED = 20_260_301;

/**
 * Executes random swaps of every provider and output on an embedded service of its own, and compares impacts, fees, dollars and
 * actions with the chain. Exit code 1 names the seed and the case of every wrong figure.
 */
async function main([countText = String(COUNT), seedText = String(SEED)]: readonly string[]): Promise<void> {
  const [count, seed] = [Number.parseInt(countText, 10), Number.parseInt(seedText, 10)];
  if (!(count > 0) || Number.isNaN(seed)) {
    console.error('Usage: npm run prove:swaps -- [number of swaps] [seed]');
    process.exit(2);
  }
  const service = await startKillableService();
  try {
    const started = Date.now();
    const { swaps, failures } = await proveSwaps(service.described, { count, seed });
    console.log(`${report(swaps)}\n\n${COLUMNS}\n`);
    const kinds = ['within the bound', 'maximum', 'without bound', 'capacity'] as const;
    const counts = kinds.map((kind) => `${String(swaps.filter((swap) => swap.kind === kind).length)} ${kind}`);
    console.log(
      `${String(swaps.length)} swaps in ${String(Math.round((Date.now() - started) / 1000))} s with seed ${String(seed)}: ${counts.join(', ')}`,
    );
    const shares = SHARES_BPS.map(
      (share) =>
        `${String(swaps.filter(({ proved }) => proved.shareBps === share).length)} of ${String(share / 100)} %`,
    );
    console.log(`Parts of a pool: ${shares.join(', ')}`);
    console.log(`Impacts of the maxima: ${impactsOf(swaps)}`);
    for (const failure of failures) console.error(`WRONG  ${failure}`);
    if (failures.length > 0) process.exitCode = 1;
  } finally {
    await service.end();
  }
}

const COLUMNS =
  'Refused, then: swaps that were first refused for their size, and executed at the named maximum or without the bound. ' +
  'Impact, pool, dollars: the largest deviation of the price impact, the output of single pools and the US dollars from ' +
  'what the chain shows; "-" where no swap used a single pool.';

/** The range of the impacts at the maxima that the service names. The bound is 1500. */
function impactsOf(swaps: readonly ProvedSwap[]): string {
  const impacts = swaps.flatMap(({ kind, quote }) => (kind === 'maximum' ? [quote.priceImpactBps ?? NaN] : []));
  return impacts.length === 0 ? '-' : `${String(Math.min(...impacts))} to ${String(Math.max(...impacts))} bps`;
}

void main(process.argv.slice(2));
