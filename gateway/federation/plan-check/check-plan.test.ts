import type { PlanNode } from '@graphql-hive/router-query-planner';
import { transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import { buildASTSchema, type OperationDefinitionNode, parse, print } from 'graphql';
import { composeSupergraph } from '../compose';
import { resolveOperation } from '../document/operation-tree';
import { withFixedFields } from '../planner/fixed-fields';
import { readSupergraphFacts } from '../supergraph-facts';
import { problemOfPlan } from './check-plan';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires", "@interfaceObject"])\n';

/** Subgraphs `store` and `post`. */
const SUBGRAPHS = {
  store: `
    type Query { book: Book works: [Work] hits: [Hit] }
    type Book @key(fields: "id") { id: ID! weight(unit: String): Int author: Author }
    type Author { name: String age: Int }
    interface Work @key(fields: "id") { id: ID! title: String }
    type Novel implements Work @key(fields: "id") { id: ID! title: String pages: Int }
    type Comic implements Work @key(fields: "id") { id: ID! title: String }
    type Shop { id: ID! }
    union Hit = Novel | Comic | Shop`,
  post: `
    type Query { best: Work }
    type Book @key(fields: "id") {
      id: ID!
      weight(unit: String): Int @external
      author: Author @external
      postage: Int @requires(fields: "weight(unit: \\"kg\\")")
      label: Int @requires(fields: "weight(unit: \\"g\\")")
      dedication: String @requires(fields: "author { name }")
      sequel: Book
    }
    type Author { name: String @external }
    type Work @key(fields: "id") @interfaceObject {
      id: ID!
      title: String @external
      cost: Int
      review: String @requires(fields: "title")
    }`,
};

function factsOf(subgraphs: Readonly<Record<string, string>>) {
  const definitions = Object.entries(subgraphs).map(([name, sdl]) => ({ name, url: '', typeDefs: LINK + sdl }));
  const supergraph = parse(composeSupergraph(definitions));
  const schema = buildASTSchema(transformSupergraphToPublicSchema(supergraph));
  const { document, fixedFields } = withFixedFields(supergraph);
  return { schema, facts: readSupergraphFacts(document, schema, fixedFields) };
}

const GRAPH = factsOf(SUBGRAPHS);
const fixedFieldFor = (unit: string): string =>
  [...GRAPH.facts.fixedFields].find(([, field]) => print(field.arguments[0]!) === `unit: "${unit}"`)?.[0] ?? '';
const [KILOGRAMS, GRAMS] = [fixedFieldFor('kg'), fixedFieldFor('g')];

function problemOf(source: string, nodes: readonly unknown[], { schema, facts } = GRAPH): string | undefined {
  const document = parse(source);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const tree = resolveOperation({ document, operation, variables: {} }, facts);
  return problemOfPlan({ node: { kind: 'Sequence', nodes } as PlanNode, tree, schema, facts });
}

const fetch = (serviceName: 'store' | 'post', operation: string, others = {}) => ({
  kind: 'Fetch',
  serviceName,
  operation,
  ...others,
});

/** `Book id author.name` → the representation of a book with these fields. */
function requires(fields: string) {
  const [typeCondition, ...paths] = fields.split(' ');
  const selections = paths.map((path) => {
    const [name, below] = path.split('.');
    const [alias, key] = name?.split(':') ?? [];
    const field = key === undefined ? { kind: 'Field', name } : { kind: 'Field', name: key, alias };
    return below === undefined ? field : { ...field, selections: [{ kind: 'Field', name: below }] };
  });
  return { kind: 'InlineFragment', typeCondition, selections: [{ kind: 'Field', name: '__typename' }, ...selections] };
}

interface LookupOptions {
  readonly from?: 'store' | 'post';
  readonly path?: readonly unknown[];
  readonly requires?: readonly string[];
  readonly outputRewrites?: readonly unknown[];
}

/** A lookup of books, unless the options say otherwise. */
function lookup(selections: string, options: LookupOptions = {}) {
  const { from = 'post', path = ['book'], requires: required = ['Book id'], ...others } = options;
  const operation = `query($r:[_Any!]!){_entities(representations:$r){${selections}}}`;
  const node = fetch(from, operation, { requires: required.map(requires), ...others });
  const segments = path.map((segment) =>
    typeof segment === 'string' && segment !== '@' ? { Field: segment } : segment,
  );
  return { kind: 'Flatten', path: segments, node };
}

const BOOK = (fields = 'id') => fetch('store', `{book{__typename ${fields}}}`);
const WORKS = (fields = 'id') => fetch('store', `{works{__typename ${fields}}}`);
const BEST = fetch('post', '{best{__typename id}}');
const works = (options: LookupOptions): LookupOptions => ({ path: ['works', '@'], requires: ['Work id'], ...options });

describe('a plan must fetch every selected field', () => {
  it('of an object', () => {
    expect(problemOf('{ book { id sequel { id } } }', [BOOK()])).toBe('no fetch fills .book.sequel of Book');
    expect(problemOf('{ book { sequel { id } } }', [BOOK(), lookup('...on Book{sequel{id}}')])).toBeUndefined();
    const spread = lookup('...F}} fragment F on Book{...on Book{sequel{id}');
    expect(problemOf('{ book { sequel { id } } }', [BOOK(), spread])).toBeUndefined();
  });

  it('with its arguments, however they are written', () => {
    const weighed = (planned: string) => [fetch('store', `{book{weight_2: weight${planned}}}`)];
    expect(problemOf('{ book { weight(unit: "kg") } }', weighed('(unit:"""kg""")'))).toBeUndefined();
    const problem = 'other arguments are used for .book.weight_2 of Book';
    expect(problemOf('{ book { weight(unit: "kg") } }', weighed('(unit:"g")'))).toBe(problem);
  });

  it('for objects of each type that it is selected for', () => {
    const source = '{ works { ... on Novel { cost } ... on Comic { cost } } }';
    const cost = (...fragments: string[]) => lookup('...on Work{cost}', works({ requires: fragments }));
    expect(problemOf(source, [WORKS(), cost('Novel id', 'Comic id')])).toBeUndefined();
    expect(problemOf(source, [WORKS(), cost('Novel id'), cost('Comic id')])).toBeUndefined();
    expect(problemOf(source, [WORKS(), cost('Comic id')])).toBe('no fetch fills .works.cost of Novel');
    const onPath = (type: string) =>
      lookup('...on Work{cost}', works({ path: ['works', '@', { TypeCondition: [type] }] }));
    expect(problemOf(source, [WORKS(), onPath('Novel')])).toBe('no fetch fills .works.cost of Comic');
    expect(problemOf(source, [WORKS(), { kind: 'Parallel', nodes: [onPath('Novel'), onPath('Comic')] }])).toBe(
      undefined,
    );
    expect(problemOf(source, [WORKS(), onPath('Work')])).toBeUndefined();
  });

  it('for the types that its subgraph has', () => {
    const hits = fetch('store', '{hits{__typename ...on Novel{id} ...on Comic{id} ...on Shop{shopId:id}}}');
    expect(problemOf('{ hits { ... on Work { id } } }', [hits])).toBeUndefined();
    expect(problemOf('{ hits { ... on Work { id } ... on Shop { id } } }', [hits])).toBe(
      'no fetch fills .hits.id of Shop',
    );
  });

  it('with a request that has a representation, made from what was fetched before', () => {
    const sequel = lookup('...on Book{sequel{id}}');
    const source = '{ book { sequel { id } } }';
    expect(problemOf(source, [BOOK('author{name}'), sequel])).toBe('no fetch fills .book.sequel of Book');
    expect(problemOf(source, [{ kind: 'Parallel', nodes: [BOOK(), sequel] }])).toBe(
      'no fetch fills .book.sequel of Book',
    );
    const renamed = lookup('...on Book{sequel{id}}', { requires: ['Book id:key'] });
    expect(problemOf(source, [BOOK('key:id'), renamed])).toBeUndefined();
    expect(problemOf(source, [BOOK('id:weight'), sequel])).toBe('book.id is sent as id');
  });

  it('under the key that a rewrite gives it', () => {
    const outputRewrites = [{ KeyRenamer: { path: [{ Key: 'alias' }], renameKeyTo: 'sequel' } }];
    const sequel = lookup('...on Book{alias:sequel{id}}', { outputRewrites });
    expect(problemOf('{ book { sequel { id } } }', [BOOK(), sequel])).toBeUndefined();
  });
});

describe('a plan must find the type of an object', () => {
  it('where the response depends on it', () => {
    const own = lookup('...on Work{__typename ...on Novel{pages}}', {
      from: 'store',
      path: ['best'],
      requires: ['Work id'],
    });
    expect(problemOf('{ best { id } }', [BEST])).toBeUndefined();
    expect(problemOf('{ best { ... on Work { id } ... on Comic { id @skip(if: true) } } }', [BEST])).toBeUndefined();
    for (const source of ['{ best { __typename } }', '{ best { ... on Novel { id } } }']) {
      expect(problemOf(source, [BEST])).toBe('no fetch finds the type of .best');
      expect(problemOf(source, [BEST, own])).toBeUndefined();
    }
    expect(problemOf('{ best { ... on Novel { pages } } }', [BEST, own])).toBeUndefined();
  });

  it('before it selects objects by type', () => {
    const cost = (...path: unknown[]) => lookup('...on Work{cost}', { path, requires: ['Work id'] });
    const source = '{ best { id cost } }';
    expect(problemOf(source, [BEST, cost('best')])).toBeUndefined();
    expect(problemOf(source, [BEST, cost('best', { TypeCondition: ['Novel', 'Comic'] })])).toBe(
      'no fetch fills .best.cost of Novel',
    );
    const unnamed = fetch('store', '{works{id}}');
    expect(
      problemOf('{ works { cost } }', [unnamed, lookup('...on Work{cost}', works({ requires: ['Novel id'] }))]),
    ).toBe('the type of works is unknown');
  });
});

describe('a plan must send what a field requires', () => {
  const postage = (...required: string[]) => lookup('...on Book{postage}', { requires: required });

  it('with the arguments that the field requires', () => {
    const source = '{ book { postage } }';
    const [kilograms, grams] = [BOOK(`id ${KILOGRAMS}`), BOOK(`id ${GRAMS}`)];
    expect(problemOf(source, [kilograms, postage(`Book id ${KILOGRAMS}`)])).toBeUndefined();
    expect(problemOf(source, [kilograms, postage('Book id')])).toBe(`book.postage is fetched without ${KILOGRAMS}`);
    expect(problemOf(source, [grams, postage(`Book id ${KILOGRAMS}:${GRAMS}`)])).toBe(
      `book.${GRAMS} is sent as ${KILOGRAMS}`,
    );
  });

  it('with one value of each field', () => {
    const both = lookup('...on Book{postage label}', { requires: [`Book id ${KILOGRAMS} ${GRAMS}`] });
    expect(problemOf('{ book { postage label } }', [BOOK(`id ${KILOGRAMS} ${GRAMS}`), both])).toBe(
      'book is sent with several values of weight',
    );
  });

  it('below other fields', () => {
    const dedication = (required: string) => lookup('...on Book{dedication}', { requires: [required] });
    const source = '{ book { dedication } }';
    const named = BOOK('id author{name age}');
    expect(problemOf(source, [named, dedication('Book id author.name')])).toBeUndefined();
    expect(problemOf(source, [named, dedication('Book id author.age')])).toBe(
      'book.dedication is fetched without author.name',
    );
    expect(problemOf(source, [BOOK('id author{age}'), dedication('Book id author.name')])).toBe(
      'no fetch fills .book.dedication of Book',
    );
  });

  it('for an interface object', () => {
    const review = (required: string) => lookup('...on Work{review}', works({ requires: [required] }));
    const source = '{ works { review } }';
    expect(problemOf(source, [WORKS('id title'), review('Work id title')])).toBeUndefined();
    expect(problemOf(source, [WORKS('id title'), review('Work id')])).toBe('works.review is fetched without title');
    expect(problemOf('{ best { review } }', [fetch('post', '{best{__typename review}}')])).toBe(
      '.best.review is fetched without title',
    );
  });
});

describe('a plan must not fill one key with several values', () => {
  const filling = (...fields: string[]) => fields.map((each) => fetch('store', `{book{${each}}}`));

  it('of one object', () => {
    const source = '{ book { id } }';
    for (const [one, other] of [
      ['a:weight(unit:"kg")', 'a:weight'],
      ['a:id', 'a:weight'],
    ] as const) {
      expect(problemOf(source, [BOOK(), ...filling(one, one)])).toBeUndefined();
      expect(problemOf(source, [BOOK(), ...filling(one, other)])).toBe('.book.a has several meanings');
      expect(problemOf(source, [BOOK(), ...filling(`...on Book{${one}} ${other}`)])).toBe(
        '.book.a has several meanings',
      );
    }
    expect(problemOf(source, [BOOK(), ...filling('author{a:name}', 'author{a:age}')])).toBe(
      '.book.author.a has several meanings',
    );
  });

  it('through several lookups in one request', () => {
    const batch = {
      kind: 'BatchFetch',
      serviceName: 'post',
      operation:
        'query($r:[_Any!]!){_e0:_entities(representations:$r){...on Book{a:id}} _e1:_entities(representations:$r){...on Book{a:sequel{id}}}}',
      entityBatch: {
        aliases: ['_e0', '_e1'].map((alias) => ({
          alias,
          paths: [[{ Field: 'book' }]],
          requires: [requires('Book id')],
        })),
      },
    };
    expect(problemOf('{ book { id } }', [BOOK(), batch])).toBe('book.a has several meanings');
  });

  it('but may use it for values of different types', () => {
    const fetched = fetch('store', '{works{__typename ...on Novel{a:title} ...on Comic{a:id}}}');
    expect(problemOf('{ works { __typename } }', [fetched])).toBeUndefined();
  });
});

it.each([
  ['after', 7],
  ['before', 15],
])('a plan with too many combinations of types, %s objects, is not checked to the end', (side, deep) => {
  const types = Array.from({ length: 12 }, (_, index) => `T${index}`);
  const objects = types.map((name) => `type ${name} implements I { id: ID! next: I }`).join(' ');
  const graph = factsOf({ store: `type Query { all: I } interface I { id: ID! next: I } ${objects}` });
  const fragments = types.map((name) => `...on ${name}{x${name}:id}`).join(' ');
  const nested = (depth: number): string => {
    if (depth === 0) return 'id';
    const object = `next{__typename ${nested(depth - 1)}}`;
    return side === 'after' ? `${object} ${fragments}` : `${fragments} ${object}`;
  };
  const text = `{all{__typename ${nested(deep)}}}`;
  expect(problemOf('{ all { id } }', [fetch('store', text)], graph)).toBe('too many combinations of types');
});

it('graphs that have neither abstract types nor @requires are not checked', () => {
  const graph = factsOf({ store: 'type Query { book: Book } type Book { id: ID! }' });
  expect(problemOf('{ book { id } }', [], graph)).toBeUndefined();
});
