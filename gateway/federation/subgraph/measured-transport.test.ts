import { parse } from 'graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { createLifetime } from '../../../src/auth/request-lifetime';
import type { Metrics } from '../../../src/telemetry/metrics/metrics';
import { measuredTransport } from './measured-transport';
import type { SubgraphCall } from './subgraph-transport';

let outcomes: unknown[];
const observe = (_key: string, { outcome }: Readonly<Record<string, string>>): void => void outcomes.push(outcome);
const metrics = { observe } as unknown as Metrics;
beforeEach(() => {
  outcomes = [];
});

const compiled = (call: SubgraphCall, kind: 'query' | 'subscription' = 'query'): SubgraphCall =>
  measuredTransport({ compile: () => call }, { subgraph: 'swaps', metrics }).compile('', parse('{ x }'), kind);

async function outcomeOf(call: SubgraphCall, hasEnded = false): Promise<unknown> {
  const lifetime = createLifetime();
  const context = { lifetime } as unknown as RequestContext;
  const measured = compiled(call);
  const result = (async () => measured({}, context))();
  if (hasEnded) lifetime.end();
  await result.catch(() => undefined);
  return outcomes.at(-1);
}

const failing: SubgraphCall = () => Promise.resolve().then(() => Promise.reject(new Error('no response')));

test('a request without a response has failed, whether it rejects or throws', async () => {
  const throwing: SubgraphCall = () => {
    throw new Error('no response');
  };
  expect(await outcomeOf(failing)).toBe('failed');
  expect(await outcomeOf(throwing)).toBe('failed');
  expect(outcomes).toHaveLength(2);
});

test('a request whose caller has disconnected is abandoned, and is no failure of the subgraph', async () => {
  expect(await outcomeOf(failing, true)).toBe('abandoned');
});

test('a response is ok, also for a caller that has just disconnected', async () => {
  expect(await outcomeOf(() => Promise.resolve({ data: {} }), true)).toBe('ok');
  expect(await outcomeOf(() => ({ data: {} }))).toBe('ok');
});

test('subscriptions are not measured: their start takes no time, and their end is the choice of the caller', async () => {
  await compiled(() => Promise.resolve({ data: {} }), 'subscription')({}, {} as unknown as RequestContext);
  expect(outcomes).toEqual([]);
});
