import { canUseSubgraphs, logSubgraphProblems } from './subgraph-states';

test.each([
  [true, {}],
  [true, { swaps: 'in process', wallets: 'ok' }],
  [true, { swaps: 'down', wallets: 'ok' }],
  [true, { swaps: 'down', wallets: 'in process' }],
  [false, { swaps: 'down', wallets: 'down' }],
  [true, { swaps: 'refused', wallets: 'ok' }],
  [false, { swaps: 'refused', wallets: 'refused' }],
  [false, { swaps: 'refused', wallets: 'down' }],
] as const)('the readiness of a gateway is %p with %j', (isReady, states) => {
  expect(canUseSubgraphs(states)).toBe(isReady);
});

test('each subgraph that cannot be used is logged with its setting', () => {
  const warn = jest.fn();
  logSubgraphProblems({ warn }, { swaps: 'down', wallets: 'refused', kyc: 'ok', customers: 'in process' });
  expect(warn.mock.calls).toEqual([
    [{ subgraph: 'swaps' }, 'the subgraph swaps does not respond at SUBGRAPH_URL_SWAPS'],
    [{ subgraph: 'wallets' }, expect.stringMatching(/wallets refuses the signature of this gateway. INTERNAL_SECRET/)],
  ]);
});
