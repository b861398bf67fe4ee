import { fuzz } from '../test/federation/fuzz/fuzz';
import { LIBRARY } from '../test/federation/fuzz/library-world';
import { STUDIO } from '../test/federation/fuzz/studio-world';

const RUNS = [
  { name: 'the library', world: LIBRARY, over: 'process', share: 0.6 },
  { name: 'the library', world: LIBRARY, over: 'http', share: 0.1 },
  { name: 'the studio', world: STUDIO, over: 'process', share: 0.3 },
] as const;

/**
 * Compares the gateway with a monolith on random operations.
 *
 * `npm run fuzz:gateway -- 50000 [seed]`
 */
async function main(): Promise<void> {
  const [, , count = '2000', seedGiven] = process.argv;
  const operations = Number.parseInt(count, 10);
  if (!(operations >= 1)) {
    console.error('Usage: npm run fuzz:gateway -- <operations, at least 1> [seed]');
    process.exitCode = 2;
    return;
  }
  const seed = seedGiven === undefined ? Date.now() % 1_000_000 : Number.parseInt(seedGiven, 10);
  console.log(`seed ${seed}`);
  for (const { name, world, over, share } of RUNS) {
    const started = Date.now();
    const report = await fuzz({ world, seed, operations: Math.ceil(operations * share), over, failures: 0.04 });
    const { compared, failed, refused, differences } = report;
    console.log(
      `${compared} operations of ${name} over ${over} in ${Date.now() - started} ms, ${failed} with failures, ${refused} refused, ${differences.length} wrong`,
    );
    for (const difference of differences.slice(0, 10)) console.log(`\n${difference}`);
    if (differences.length > 0) process.exitCode = 1;
  }
}

void main();
