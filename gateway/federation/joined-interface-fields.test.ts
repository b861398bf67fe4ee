import { composeSupergraph } from './compose';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@external", "@requires", "@interfaceObject"])\n';
const OWNER = `${LINK} type Query { works: [Work] }
  interface Work @key(fields: "id") { id: ID! title: String year: Int }
  type Novel implements Work @key(fields: "id") { id: ID! title: String year: Int }`;

function workOf(shop: string): string {
  const typeDefs = `${LINK} type Work @key(fields: "id") @interfaceObject { id: ID! ${shop} }`;
  const supergraph = composeSupergraph([
    { name: 'shop-1', url: '', typeDefs },
    { name: 'catalog', url: '', typeDefs: OWNER },
  ]);
  return /interface Work [^{]*\{([^}]*)\}/.exec(supergraph)?.[1]?.replaceAll(/\s+/g, ' ').trim() ?? '';
}

it('a field that an interface object has as external is joined to its owner only', () => {
  expect(workOf('title: String @external review: String @requires(fields: "title")')).toBe(
    'id: ID! title: String @join__field(graph: CATALOG) @join__field(graph: SHOP_1, external: true) year: Int @join__field(graph: CATALOG) review: String @join__field(graph: SHOP_1, requires: "title")',
  );
  expect(workOf('title: String @federation__external review: String @requires(fields: "title")')).toContain(
    'title: String @join__field(graph: CATALOG) @join__field(graph: SHOP_1, external: true)',
  );
});

it('other fields stay as they are composed', () => {
  expect(workOf('cost: Int')).toBe(
    'id: ID! title: String @join__field(graph: CATALOG) year: Int @join__field(graph: CATALOG) cost: Int @join__field(graph: SHOP_1)',
  );
});
