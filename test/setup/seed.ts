/**
 * Seed of randomized tests. Always the same, so that a failure comes from the tested change and nothing
 * else; `TEST_SEED` (an integer) explores other cases, and a failure names its seed.
 */
export const TEST_SEED = Number.parseInt(process.env['TEST_SEED'] ?? '20260131', 10);
