/**
 * Where tests that try at random begin. Always the same, so that a run tells of the change that is tested and nothing
 * else; `TEST_SEED` (an integer) explores other cases, and a failure names its seed.
 */
export const TEST_SEED = Number.parseInt(process.env['TEST_SEED'] ?? '20260131', 10);
