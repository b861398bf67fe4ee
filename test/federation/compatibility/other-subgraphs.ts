import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import type { Subgraph } from '../../../subgraphs/schema/build-subgraph';

const SUITE = path.dirname(require.resolve('@apollo/federation-subgraph-compatibility-tests/package.json'));

type Reference = Readonly<Record<string, unknown>>;

/** Data of the suite's own subgraphs. It differs from the values of `products` for the same fields. */
const RESOLVERS = {
  users: {
    User: {
      __resolveReference: ({ email }: Reference) => ({
        email,
        name: 'default',
        totalProductsCreated: 4,
        yearsOfEmployment: 10,
      }),
    },
  },
  inventory: {
    Query: { inventory: (_: unknown, { id }: Reference) => ({ __typename: 'OpenSourceInventory', id, products: [] }) },
    OpenSourceInventory: { __resolveReference: (inventory: Reference) => inventory },
    Inventory: { __resolveReference: ({ id }: Reference) => ({ __typename: 'OpenSourceInventory', id }) },
    Product: {
      __resolveReference: (product: Reference) => product,
      delivery: () => ({ estimatedDelivery: '5/1/2019', fastestDelivery: '5/1/2019' }),
    },
  },
} as const;

/** The suite's other subgraphs, from its own SDL. */
export const otherSubgraphs = (): readonly Subgraph[] =>
  (['users', 'inventory'] as const).map((name) => {
    const typeDefs = readFileSync(path.join(SUITE, 'dist/subgraphs', name, `${name}.graphql`), 'utf8');
    const schema = buildSubgraphSchema([{ typeDefs: parse(typeDefs), resolvers: RESOLVERS[name] as never }]);
    return { name, typeDefs, schema };
  });
