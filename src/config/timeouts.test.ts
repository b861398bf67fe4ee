import { problemsOf, required } from '../../test/setup/config-problems';

test.each([
  ['DATABASE_TIMEOUT_MS', 500, 60_000],
  ['PLANNING_TIMEOUT_MS', 100, 10_000],
  ['READ_TIMEOUT_MS', 1000, 7000],
] as const)('%s is between %i and %i', (name, minimum, maximum) => {
  const problems = (milliseconds: number) =>
    problemsOf({ ...required, SUBGRAPH_TIMEOUT_MS: '30000', [name]: String(milliseconds) });
  expect([minimum, maximum].map(problems)).toEqual([[], []]);
  for (const outside of [minimum - 1, maximum + 1]) expect(problems(outside)).toEqual([expect.stringContaining(name)]);
});

test('a subgraph has at least four times a long timeout of reads', () => {
  const times = { ...required, READ_TIMEOUT_MS: '5001' };
  expect(problemsOf({ ...times, SUBGRAPH_TIMEOUT_MS: '20004' })).toEqual([]);
  expect(problemsOf({ ...times, SUBGRAPH_TIMEOUT_MS: '20003' })).toEqual([expect.stringContaining('READ_TIMEOUT_MS')]);
  expect(problemsOf(times)).toEqual([expect.stringContaining('READ_TIMEOUT_MS')]);
  expect(problemsOf({ ...required, READ_TIMEOUT_MS: '5000' })).toEqual([]);
  expect(problemsOf({ ...required, READ_TIMEOUT_MS: '6e3' })).toEqual([expect.stringContaining('at least 24000')]);
  expect(problemsOf({ ...required, READ_TIMEOUT_MS: '6000', SUBGRAPH_TIMEOUT_MS: '3e4' })).toEqual([]);
  expect(problemsOf({ ...required, READ_TIMEOUT_MS: '6000', ROLE: 'worker' })).toEqual([]);
});
