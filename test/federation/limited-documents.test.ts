import { parse } from 'graphql';
import pino from 'pino';
import type { CallerOperation, FederatedGraph, OperationResult } from '../../gateway/federation/federated-graph';
import { createPlannerProcess } from '../../gateway/federation/planner/planner-process';
import { contextWith, FOREVER_MS, smallGraph, type SmallSubgraph, supergraphOf } from './small-graph';

const only: SmallSubgraph = {
  sdl: `scalar Json
    type Query { size(of: Json, factor: Float): Int }
    type Subscription { ticked: Int }`,
  resolvers: { Query: { size: () => 1 }, Subscription: { ticked: { subscribe: () => undefined } } },
};

let graph: FederatedGraph;
beforeAll(async () => {
  graph = await smallGraph({ only });
});
afterAll(() => graph.close());

const prepare = (source: string, operationName?: string): Promise<CallerOperation> =>
  graph.prepare(parse(source), operationName);

async function execute(source: string, variables = {}, operationName?: string): Promise<OperationResult> {
  const operation = await prepare(source, operationName);
  return JSON.parse(JSON.stringify(await operation.execute(variables, contextWith()))) as OperationResult;
}

const fragments = (levels: number, inner: string): string =>
  `{ ${'... on Query { '.repeat(levels)}${inner}${' }'.repeat(levels)} }`;
const literal = (levels: number, inner = '1'): string => `${'{ a: '.repeat(levels)}${inner}${' }'.repeat(levels)}`;

describe('a valid document', () => {
  it('may nest fragments and literals up to the limits', async () => {
    expect(await execute(fragments(30, 'size'))).toEqual({ data: { size: 1 } });
    expect(await execute(`{ size(of: ${literal(30)}) }`)).toEqual({ data: { size: 1 } });
  });

  const spreads = Array.from({ length: 50 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} }`).join(' ');
  it.each([
    ['fragments nested 50 deep', fragments(50, 'size'), 'levels of selections'],
    ['50 fragments in a chain', `{ ...F0 } ${spreads} fragment F50 on Query { size }`, 'levels of selections'],
    ['a literal nested 50 deep', `{ size(of: ${literal(50)}) }`, 'levels of a literal'],
  ])('exceeds a limit with %s', async (_, source, counted) => {
    await expect(prepare(source)).rejects.toMatchObject({
      code: 'DOCUMENT_LIMIT_EXCEEDED',
      message: expect.stringContaining(counted) as string,
    });
  });

  it('is refused when the planner rejects it, as for brackets that add up to more than 50 levels', async () => {
    const source = fragments(30, `size(of: ${literal(30)})`);
    await expect(prepare(source)).rejects.toMatchObject({ code: 'DOCUMENT_REFUSED', status: 400 });
  });
});

describe('a document that the planner rejects', () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const supergraphSdl = supergraphOf({ only });
  const planner = createPlannerProcess({ supergraphSdl, deadlineMs: FOREVER_MS, maxWaitingPerCaller: 10, log });
  beforeEach(() => {
    lines.length = 0;
  });
  afterAll(() => planner.close());

  it.each([
    `{ size(of: ${literal(60, '"secret"')}) }`,
    '{ size(of: "secret" "secret") }',
    '{ size(of: "a" "b\\" secret") }',
    '{ size(of: "a" """b " secret""") }',
    '{ size(of: "a" """b \\""" secret \n secret""") }',
  ])('leaves none of its strings in the log: %s', async (rejected) => {
    await expect(planner.plan(rejected)).rejects.toMatchObject({ code: 'DOCUMENT_REFUSED' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('the planner rejects a document');
    expect(lines[0]).not.toContain('secret');
  });

  it('is refused without being planned again', async () => {
    const rejected = '{ size(of: 1 2) }';
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(planner.plan(rejected)).rejects.toMatchObject({ code: 'DOCUMENT_REFUSED', status: 400 });
    expect(lines).toHaveLength(1);
    await expect(planner.plan('{ size }')).resolves.toContain('Fetch');
  });
});

describe('a number outside the range of a double', () => {
  it.each([
    ['factor', '{ size(factor: 1e999) }'],
    ['factor', `{ size(factor: -${'9'.repeat(400)}) }`],
    ['of.a', '{ size(of: [{ a: 1e999 }]) }'],
    ['factor', 'query ($factor: Float = 1e999) { size(factor: $factor) }'],
  ])('is refused with the name %s in %s', async (name, source) => {
    await expect(prepare(source)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path: name, message: 'must not be a number outside the range of a double' }] },
    });
  });
});

describe('the condition of a directive', () => {
  const source = 'query A($on: Boolean = true) { size @include(if: $on) } query B { size }';

  it('may come from a default value, but must not be null', async () => {
    expect(await execute(source, {}, 'A')).toEqual({ data: { size: 1 } });
    expect(await execute(source, { on: false }, 'A')).toEqual({ data: {} });
    const refused = await execute(source, { on: null }, 'A');
    expect(refused.data).toBeUndefined();
    expect(refused.errors?.[0]?.extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path: 'on', message: 'must be true or false: @include requires it' }] },
    });
  });

  it('of another operation, or of a branch that is skipped, is not needed', async () => {
    expect(await execute(source, {}, 'B')).toEqual({ data: { size: 1 } });
    const skipped = 'query ($on: Boolean = true) { size ... @skip(if: true) { size @include(if: $on) } }';
    expect(await execute(skipped, { on: null })).toEqual({ data: { size: 1 } });
  });

  it.each([
    'subscription ($on: Boolean!) { ticked @include(if: $on) }',
    'subscription ($on: Boolean!) { ... @skip(if: $on) { ticked } }',
    'subscription ($on: Boolean!) { ...F } fragment F on Subscription { ticked @skip(if: $on) }',
    'subscription { ticked @include(if: true) }',
  ])('does not decide on the root field of a subscription: %s', async (subscription) => {
    await expect(prepare(subscription)).rejects.toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
      message: expect.stringContaining('must not depend on @skip or @include') as string,
    });
  });

  it('leaves other subscriptions valid, and those with several root fields invalid', async () => {
    expect((await prepare('subscription { ticked }')).kind).toBe('subscription');
    await expect(prepare('subscription { ticked again: ticked }')).rejects.toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
      message: expect.stringContaining('only one top level field') as string,
    });
  });
});
