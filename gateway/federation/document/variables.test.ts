import { buildSchema, Kind, type OperationDefinitionNode, parse } from 'graphql';
import { compileVariables } from './variables';

const schema = buildSchema(`
  enum Side { buy sell }
  input Window { from: Int! = 1, to: Int }
  type Query { trades(side: Side, limit: Int!, window: Window): Int }
`);

function operation(variables: string): OperationDefinitionNode {
  const [definition] = parse(`query ${variables} { __typename }`).definitions;
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  return definition;
}

describe('variables', () => {
  const of = operation('($side: Side = sell, $limit: Int!, $window: Window)');

  it('are validated and completed with defaults, and stay JSON', () => {
    const coerce = compileVariables(schema, of);
    expect(coerce({ limit: 2, window: { to: 3 }, stray: 1 })).toEqual({
      values: { side: 'sell', limit: 2, window: { from: 1, to: 3 } },
    });
    expect(coerce({ side: 'hold', window: { to: 'x' } })).toEqual({
      issues: [
        { path: 'side', message: expect.stringContaining('"hold"') },
        { path: 'limit', message: 'is required' },
        { path: 'window.to', message: expect.stringContaining('Int') },
      ],
    });
  });

  it('are refused when they are null for a non-null type', () => {
    expect(compileVariables(schema, of)({ limit: null })).toEqual({
      issues: [expect.objectContaining({ path: 'limit' })],
    });
    expect(compileVariables(schema, of)(null)).toEqual({ issues: [{ path: 'limit', message: 'is required' }] });
  });

  it('of trusted operations are not validated, but must be complete', () => {
    const coerce = compileVariables(schema, of, true);
    expect(coerce({ limit: 2, window: { to: 3 } })).toEqual({ values: { side: 'sell', limit: 2, window: { to: 3 } } });
    expect(coerce({ side: 'buy' })).toEqual({ issues: [{ path: 'limit', message: 'is required' }] });
  });
});
