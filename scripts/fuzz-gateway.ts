import { fuzz } from '../test/federation/fuzz/fuzz';

/**
 * Compares the gateway with a monolith on random operations.
 *
 * `npm run fuzz:gateway -- 50000 [seed]`
 */
async function main(): Promise<void> {
  const [, , count = '2000', seedGiven] = process.argv;
  const operations = Number.parseInt(count, 10);
  const seed = seedGiven === undefined ? Date.now() % 1_000_000 : Number.parseInt(seedGiven, 10);
  console.log(`seed ${seed}`);
  for (const over of ['process', 'http'] as const) {
    const share = over === 'process' ? Math.ceil(operations * 0.9) : Math.floor(operations * 0.1);
    const started = Date.now();
    const { compared, failed, differences } = await fuzz({ seed, operations: share, over, failures: 0.04 });
    console.log(
      `${compared} operations over ${over} in ${Date.now() - started} ms, ${failed} with failures, ${differences.length} wrong`,
    );
    for (const difference of differences.slice(0, 10)) console.log(`\n${difference}`);
    if (differences.length > 0) process.exitCode = 1;
  }
}

void main();
