import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema } from 'graphql';
import { createLifetime } from '../../../src/auth/request-lifetime';
import { PROJECT_ROOT } from '../../../src/config/project-root';
import { createHeavyWork, type HeavyWork } from './heavy-work';
import { HEAVY_OPERATIONS, heavyLoadOf } from './heavy-operations';

const config = {
  QUOTE_CONCURRENCY: 40,
  EXECUTION_CONCURRENCY: 20,
  QUEUE_LIMIT: 10,
  QUEUE_TIMEOUT_MS: 5000,
  EVENT_LOOP_DELAY_MS: 25,
};
const NO_DELAY = { read: () => 0, stop: () => undefined };
const operation = (rootField: string) => ({
  request: { scope: {} as never, ip: '127.0.0.1' },
  rootFields: [rootField],
  lifetime: createLifetime(),
});

describe('the concurrency of heavy work', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('follows the delay of the event loop, and a refusal is logged in one line with the others', async () => {
    let delay = 100;
    const lines: unknown[] = [];
    const heavyWork = createHeavyWork({
      config,
      log: { warn: (line: unknown) => void lines.push(line) },
      loopDelay: { read: () => delay, stop: () => undefined },
    });
    await jest.advanceTimersByTimeAsync(4000);
    expect([heavyWork.state.quotes.limit, heavyWork.state.executions.limit]).toEqual([5, 3]);
    const entering = Array.from({ length: 18 }, async () => heavyWork.enter(operation('Query.swapQuote')));
    const outcomes = Promise.allSettled(entering);
    expect(await heavyWork.run(operation('Query.actions'), () => 'cheap')).toBe('cheap');
    delay = 20;
    await jest.advanceTimersByTimeAsync(4000);
    const states = (await outcomes).map(({ status }) => status);
    expect(states.filter((status) => status === 'fulfilled')).toHaveLength(15);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(lines).toEqual([expect.objectContaining({ refused: 3 })]);
    heavyWork.stop();
  });

  it('frees the places of work that fails', async () => {
    const heavyWork = createHeavyWork({ config, log: { warn: () => undefined }, loopDelay: NO_DELAY });
    const failing = heavyWork.run(operation('Query.swapQuote'), () => Promise.reject(new RangeError('no route')));
    await expect(failing).rejects.toThrow('no route');
    expect(heavyWork.state.quotes.running).toBe(0);
    heavyWork.stop();
  });

  it('frees the places of work that fails before it waits', async () => {
    const heavyWork = createHeavyWork({ config, log: { warn: () => undefined }, loopDelay: NO_DELAY });
    const failing = heavyWork.run(operation('Query.swapQuote'), () => {
      throw new RangeError('no route');
    });
    await expect(failing).rejects.toThrow('no route');
    expect(heavyWork.state.quotes.running).toBe(0);
    heavyWork.stop();
  });
});

describe('cheap work', () => {
  let heavyWork: HeavyWork;
  beforeEach(() => (heavyWork = createHeavyWork({ config, log: { warn: () => undefined }, loopDelay: NO_DELAY })));
  afterEach(() => heavyWork.stop());

  it('that need not wait returns its result without a promise', () => {
    expect(heavyWork.run(operation('Query.actions'), () => 'cheap')).toBe('cheap');
  });

  it('is refused when its request has ended', () => {
    const ended = operation('Query.actions');
    ended.lifetime.end();
    const execute = jest.fn();
    expect(() => heavyWork.run(ended, execute)).toThrow('requests of this caller');
    expect(execute).not.toHaveBeenCalled();
  });

  it('is refused when its request ends while it waits for the one before', async () => {
    void heavyWork.takeTurn(operation('Query.actions').request);
    const waiting = operation('Query.actions');
    const execute = jest.fn();
    const refused = expect(heavyWork.run(waiting, execute)).rejects.toThrow('requests of this caller');
    waiting.lifetime.end();
    await refused;
    expect(execute).not.toHaveBeenCalled();
  });
});

describe('heavy operations', () => {
  it('are root fields of the graph', () => {
    const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'));
    const types = {
      Query: schema.getQueryType(),
      Mutation: schema.getMutationType(),
      Subscription: schema.getSubscriptionType(),
    };
    for (const coordinate of HEAVY_OPERATIONS.keys()) {
      const [typeName, fieldName] = coordinate.split('.') as [keyof typeof types, string];
      expect(types[typeName]?.getFields()[fieldName]).toBeDefined();
    }
  });

  it.each([
    [['Query.actions', 'Query.me'], undefined],
    [['Query.swapQuote', 'Query.me', 'Query.swapQuotes'], { lane: 'quotes', size: 2 }],
    [['Query.swapQuote', 'Query.transfer'], { lane: 'executions', size: 2 }],
    [['Mutation.createTransfer', 'Mutation.createTransfer'], { lane: 'executions', size: 1 }],
  ])('%j have the load %j', (rootFields, load) => {
    expect(heavyLoadOf(rootFields)).toEqual(load);
  });
});
