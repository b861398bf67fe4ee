import type { PlanNode } from '@graphql-hive/router-query-planner';
import { parse, print } from 'graphql';
import { withFixedFields } from '../planner/fixed-fields';
import { restoreFixedFields } from './restore-fixed-fields';

describe('a plan over fixed fields', () => {
  const sdl = `type Book {
    weight(unit: String): Int
    sequel(n: Int): Book
    postage: Int @join__field(graph: B, requires: "weight(unit: \\"kg\\") sequel(n: 1) { id }")
  }`;
  const { fixedFields } = withFixedFields(parse(sdl));
  const restored = (node: unknown): unknown => restoreFixedFields(node as PlanNode, fixedFields);

  it('requests the fields with their arguments, and sends them under their own names', () => {
    const requires = [
      {
        kind: 'InlineFragment',
        typeCondition: 'Book',
        selections: [
          { kind: 'Field', name: 'id' },
          { kind: 'Field', name: 'weight_fixed_1' },
          {
            kind: 'Field',
            name: 'renamed',
            alias: 'sequel_fixed_1',
            selections: [{ kind: 'Field', name: 'weight_fixed_1' }],
          },
        ],
      },
    ];
    const node = {
      kind: 'Sequence',
      nodes: [
        { kind: 'Fetch', operation: '{book{weight_fixed_1 renamed:sequel_fixed_1{weight_fixed_1}}}' },
        { kind: 'Flatten', path: [{ Field: 'book' }], node: { kind: 'Fetch', operation: '{postage}', requires } },
      ],
    };
    const weight = { kind: 'Field', name: 'weight_fixed_1', alias: 'weight' };
    expect(restored(node)).toMatchObject({
      nodes: [
        {
          operation: print(
            parse('{book{weight_fixed_1:weight(unit:"kg") renamed:sequel(n:1){weight_fixed_1:weight(unit:"kg")}}}'),
          ),
        },
        {
          path: [{ Field: 'book' }],
          node: {
            operation: '{postage}',
            requires: [
              {
                selections: [
                  { kind: 'Field', name: 'id' },
                  weight,
                  { kind: 'Field', name: 'renamed', alias: 'sequel', selections: [weight] },
                ],
              },
            ],
          },
        },
      ],
    });
  });

  it('is the same when it has none', () => {
    const node = { kind: 'Fetch', operation: '{book{weight}}', requires: undefined };
    expect(restored(node)).toEqual(node);
    expect(restoreFixedFields(node as never, new Map())).toBe(node);
  });
});
