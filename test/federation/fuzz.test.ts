import { execute, parse } from 'graphql';
import { TEST_SEED } from '../setup/seed';
import { fuzz, type FuzzOptions } from './fuzz/fuzz';
import { SUBGRAPH_SDL } from './fuzz/library-sdl';
import { LIBRARY } from './fuzz/library-world';
import { STUDIO_SDL } from './fuzz/studio-sdl';
import { STUDIO } from './fuzz/studio-world';
import type { Source } from './fuzz/unreliable';
import { buildSubgraph } from './fuzz/world';

const PARTS = [0, 1];
/** Operations per part. Only the transport differs over HTTP. */
const OPERATIONS = { process: 150, http: 60 };
/** Share of operations over the studio that may be refused. */
const MAX_REFUSED = 0.2;

const compare = async (options: Pick<FuzzOptions, 'world' | 'seed' | 'operations' | 'over'>) => {
  const report = await fuzz({ ...options, failures: 0.04 });
  expect(report.differences.slice(0, 3).join('\n\n')).toBe('');
  expect(report.compared).toBe(options.operations);
  expect(report.failed).toBeGreaterThan((options.operations - report.refused) / 20);
  return report;
};

describe(`the gateway, compared with one schema that holds the same data (seed ${TEST_SEED})`, () => {
  describe.each(['process', 'http'] as const)(
    'returns the same responses over %s, and an error for every failure',
    (over) => {
      it.each(PARTS)('in part %i of the random operations', async (part) => {
        await compare({ world: LIBRARY, seed: TEST_SEED + part, operations: OPERATIONS[over], over });
      });
    },
  );

  it.each(PARTS)(
    'returns the same responses or refuses the document where plans are difficult, in part %i',
    async (part) => {
      const operations = OPERATIONS.process;
      const { refused } = await compare({ world: STUDIO, seed: TEST_SEED + part, operations, over: 'process' });
      expect(refused).toBeLessThan(operations * MAX_REFUSED);
    },
  );
});

describe('a subgraph of the comparison', () => {
  const NO_FAILURES = { salt: '', failures: 0, async: false };
  const schemas = {
    charts: buildSubgraph(STUDIO, STUDIO_SDL.charts, NO_FAILURES),
    stage: buildSubgraph(STUDIO, STUDIO_SDL.stage, NO_FAILURES),
    shop: buildSubgraph(LIBRARY, SUBGRAPH_SDL.shop, NO_FAILURES),
  };

  /** The value of a field for a representation, or the message of its error. */
  async function lookUp(subgraph: keyof typeof schemas, field: string, representation: Source): Promise<unknown> {
    const selection = `... on ${String(representation['__typename'])} { ${field} }`;
    const source = `query ($all: [_Any!]!) { _entities(representations: $all) { ${selection} } }`;
    const { data, errors }: any = await execute({
      schema: schemas[subgraph],
      document: parse(source),
      variableValues: { all: [representation] },
    });
    return errors?.[0].message ?? data._entities[0][field];
  }

  it.each([
    ['charts', 'price', 'length', { __typename: 'Clip', id: 'k1' }, [10, 22]],
    ['stage', 'size', 'length', { __typename: 'Clip', id: 'k1' }, [5, 1002]],
    ['charts', 'age', 'year', { __typename: 'Media', id: 'm1' }, [1995, 9]],
    ['shop', 'postage', 'pages', { __typename: 'Book', id: 'b2' }, [5, 200]],
    ['shop', 'freight', 'weight', { __typename: 'Book', id: 'b2' }, [10, 4]],
  ] as const)('%s requires for %s a representation with %s, which may be null', async (...row) => {
    const [subgraph, field, required, reference, [withFive, withNull]] = row;
    expect(await lookUp(subgraph, field, reference)).toBe(`a representation lacks ${required}`);
    expect(await lookUp(subgraph, field, { ...reference, [required]: 5 })).toBe(withFive);
    expect(await lookUp(subgraph, field, { ...reference, [required]: null })).toBe(withNull);
  });
});
