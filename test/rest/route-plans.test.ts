import { type DocumentNode, type OperationDefinitionNode } from 'graphql';
import type { FederatedGraph } from '../../gateway/federation/federated-graph';
import { keepsNull, OUTPUTS_WITH_NULLS } from '../../gateway/rest/null-fields';
import { restView } from '../../gateway/rest/rest-view';
import { routeDocument } from '../../gateway/rest/route-document';
import { ROUTES } from '../../gateway/rest/route-table';
import { contextWith } from '../federation/small-graph';
import { composedGraph } from './composed-graph';

let calls = 0;
let graph: FederatedGraph;
beforeAll(async () => {
  graph = await composedGraph(() => {
    calls += 1;
    return { data: {} };
  });
});
afterAll(() => graph.close());

/** Variables with every combination of the conditions of a document. */
function variablesOf({ definitions }: DocumentNode): readonly Readonly<Record<string, unknown>>[] {
  const [{ variableDefinitions = [] }] = definitions as [OperationDefinitionNode];
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  const valuesOf = (name: string): readonly unknown[] => (name.startsWith('include') ? [false, true] : ['value']);
  return names.reduce<Readonly<Record<string, unknown>>[]>(
    (combinations, name) => combinations.flatMap((each) => valuesOf(name).map((value) => ({ ...each, [name]: value }))),
    [{}],
  );
}

// A route is planned at its first request: a plan that is refused does not stop a start.
test.each([...new Set(ROUTES.map(({ operation }) => operation))])(
  '%s has a plan for each of its outputs and conditions, which calls a subgraph',
  async (operation) => {
    const route = ROUTES.find((each) => each.operation === operation)!;
    const document = routeDocument(restView(graph.schema, route.sections === undefined ? ROUTES : [route]), route);
    for (const output of ['', ...OUTPUTS_WITH_NULLS]) {
      const options = { output: 'json', keepNull: keepsNull(output), variablesAreChecked: true } as const;
      const prepared = graph.prepareTrusted(document, options);
      for (const variables of variablesOf(document)) {
        calls = 0;
        const { errors = [] } = await prepared.execute({ ...variables, output }, contextWith());
        // The subgraphs return no data.
        expect(errors.filter(({ extensions }) => extensions.code !== 'INVALID_SUBGRAPH_RESPONSE')).toEqual([]);
        expect(calls).toBeGreaterThan(0);
      }
    }
  },
);
