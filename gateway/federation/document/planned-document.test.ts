import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { readSupergraphFacts } from '../supergraph-facts';
import { resolveOperation } from './operation-tree';
import { plannedDocument, plannedDocuments } from './planned-document';

const SDL = `
  directive @join__field(graph: String, provides: String) repeatable on FIELD_DEFINITION
  type Query { hall: Hall @join__field(graph: "A", provides: "media { ... on Book { title } }") other: Hall }
  type Hall { media: Media }
  union Media = Book | Movie
  interface Named { name: String }
  type Book implements Named { title: String name: String sequel: Media }
  type Movie implements Named { name: String }`;
const schema = buildSchema(SDL);
const facts = readSupergraphFacts(parse(SDL), schema);

function planned(source: string): string | undefined {
  const document = parse(source);
  const operation = document.definitions[0] as OperationDefinitionNode;
  return plannedDocument({ schema, facts }, resolveOperation({ document, operation, variables: {} }, facts));
}

describe('the document for the planner', () => {
  it('has a __typename in every object that has only fragments', () => {
    expect(planned('{ other { media { ... on Book { title } } } }')).toBe(
      'query{other{media{__typename ...on Book{title}}}}',
    );
    expect(planned('{ other { media { ... on Book { sequel { ... on Movie { name } } } } } }')).toBe(
      'query{other{media{__typename ...on Book{sequel{__typename ...on Movie{name}}}}}}',
    );
    expect(planned('{ other { ... { media { __typename } } } }')).toBe(
      'query{other{__typename ...{media{__typename}}}}',
    );
  });

  it('has none below @provides, where the subgraph provides no __typename', () => {
    expect(planned('{ hall { media { ... on Book { title } } } }')).toBe('query{hall{media{...on Book{title}}}}');
    expect(planned('{ hall { media { ... on Named { ... on Movie { name } } } } }')).toBe(
      'query{hall{media{...on Named{...on Movie{name}}}}}',
    );
    expect(planned('{ hall { media { ... on Book { sequel { ... on Movie { name } } } } } }')).toBe(
      'query{hall{media{...on Book{sequel{...on Movie{name}}}}}}',
    );
  });

  it('has one also there when no field applies to any object, because the planner would drop the object', () => {
    expect(planned('{ hall { media { ... on Book { ... on Named { ... on Movie { name } } } } } }')).toBe(
      'query{hall{media{__typename ...on Book{...on Named{...on Movie{name}}}}}}',
    );
    expect(planned('{ hall { media { ... on Book @skip(if: true) { title } } } }')).toBe(
      'query{hall{media{__typename }}}',
    );
  });

  it('has the __typename that the caller selects, and none of the root', () => {
    expect(planned('{ __typename hall { media { __typename } } }')).toBe('query{hall{media{__typename}}}');
    expect(planned('{ __typename }')).toBeUndefined();
  });
});

describe('the second document for the planner', () => {
  const INTERFACE_OBJECT = `
    enum join__Graph { A @join__graph(name: "a") B @join__graph(name: "b") }
    type Query { works: [Work] hits: [Hit] }
    interface Work @join__type(graph: A) @join__type(graph: B, isInterfaceObject: true) { id: ID! cost(in: String): Int seller: Seller parent: Work }
    type Novel implements Work { id: ID! cost(in: String, of: String): Int seller: Shop parent: Work title: String }
    type Comic implements Work { id: ID! cost(in: String): Int seller: Seller parent: Work }
    interface Seller { name: String }
    type Shop implements Seller { name: String }
    union Hit = Novel | Comic`;
  const graph = buildSchema(INTERFACE_OBJECT, { assumeValidSDL: true });

  function widened(source: string): string | undefined {
    const document = parse(source);
    const operation = document.definitions[0] as OperationDefinitionNode;
    const factsOfGraph = readSupergraphFacts(parse(INTERFACE_OBJECT), graph);
    const tree = resolveOperation({ document, operation, variables: {} }, factsOfGraph);
    return plannedDocuments({ schema: graph, facts: factsOfGraph }, tree)[1];
  }

  it('selects the fields of an interface object for objects of all types', () => {
    expect(widened('{ works { ... on Novel { id title } ... on Comic { ... on Work { id } } } }')).toBe(
      'query{works{__typename id id ...on Novel{title}}}',
    );
    expect(widened('{ works { id parent { ... on Novel { title parent { ... on Comic { id } } } } } }')).toBe(
      'query{works{id parent{__typename parent{__typename id} ...on Novel{title}}}}',
    );
    expect(widened('{ hits { ... on Novel { parent { ... on Comic { id } } } } }')).toBe(
      'query{hits{__typename ...on Novel{parent{__typename id}}}}',
    );
  });

  it('leaves fields in fragments that only the type of the fragment has', () => {
    const own = '...on Novel{title cost_2:cost(of: "kg") seller{name}}';
    expect(widened(`{ works { ... on Novel { title cost(of: "kg") seller { name } cost(in: "EUR") } } }`)).toBe(
      `query{works{__typename cost_3:cost(in: "EUR") ${own}}}`,
    );
  });

  it('is missing when it would be the same', () => {
    expect(widened('{ works { __typename id } }')).toBeUndefined();
    expect(widened('{ hits { ... on Novel { id } } }')).toBeUndefined();
  });

  it('is missing in a graph without interface objects', () => {
    const document = parse('{ other { media { ... on Book { name } ... on Movie { name } } } }');
    const operation = document.definitions[0] as OperationDefinitionNode;
    const tree = resolveOperation({ document, operation, variables: {} }, facts);
    expect(plannedDocuments({ schema, facts }, tree)).toHaveLength(1);
  });
});
