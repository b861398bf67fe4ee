import { type DocumentNode, type FragmentDefinitionNode, Kind, parse } from 'graphql';
import { assertDocumentWithinLimits, DOCUMENT_LIMITS } from './document-limits';

const check = (source: string) => () => assertDocumentWithinLimits(parse(source));
const refused = (maximum: number, counted: string) => `The document exceeds the limit of ${maximum} ${counted}`;

describe('the limits of a document', () => {
  it('allow the introspection that tools send', () => {
    const depth = '{ kind ofType '.repeat(9);
    expect(
      check(`{ __schema { types { fields { args { type ${depth}{ name } ${'}'.repeat(9)} } } } } }`),
    ).not.toThrow();
  });

  it('allow exactly their maximum', () => {
    const aliases = (count: number) => `{ x { ${Array.from({ length: count }, (_, i) => `a${i}: b`).join(' ')} } }`;
    expect(check(aliases(DOCUMENT_LIMITS.aliases))).not.toThrow();
    expect(check(aliases(DOCUMENT_LIMITS.aliases + 1))).toThrow(refused(DOCUMENT_LIMITS.aliases, 'aliases'));
    const deep = (depth: number) => `${'{ a '.repeat(depth)}${'}'.repeat(depth)}`;
    expect(check(deep(DOCUMENT_LIMITS.depth))).not.toThrow();
    expect(check(deep(DOCUMENT_LIMITS.depth + 1))).toThrow(refused(DOCUMENT_LIMITS.depth, 'levels'));
    const nested = (levels: number) => `{ ${'... { '.repeat(levels - 1)}a${'}'.repeat(levels)}`;
    expect(check(nested(DOCUMENT_LIMITS.nesting))).not.toThrow();
    expect(check(nested(DOCUMENT_LIMITS.nesting + 1))).toThrow(
      refused(DOCUMENT_LIMITS.nesting, 'levels of selections'),
    );
    const literal = (levels: number) => `{ a(x: ${'[{ b: '.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}, y: [1]) }`;
    expect(check(literal(DOCUMENT_LIMITS.literalDepth))).not.toThrow();
    expect(check(literal(DOCUMENT_LIMITS.literalDepth + 2))).toThrow(
      refused(DOCUMENT_LIMITS.literalDepth, 'levels of a literal'),
    );
  });

  it('count operations, each of which would be prepared with a copy of the document', () => {
    const operations = (count: number) => Array.from({ length: count }, (_, i) => `query Q${i} { a }`).join(' ');
    expect(check(operations(DOCUMENT_LIMITS.operations))).not.toThrow();
    expect(check(operations(DOCUMENT_LIMITS.operations + 1))).toThrow(
      refused(DOCUMENT_LIMITS.operations, 'operations'),
    );
  });

  it('count root fields through fragments', () => {
    const fields = Array.from({ length: 30 }, (_, i) => `f${i}`).join(' ');
    expect(check(`{ ...A ... { ...A } } fragment A on Query { ${fields} }`)).toThrow(
      refused(DOCUMENT_LIMITS.rootFields, 'root fields'),
    );
  });

  it('count fields with fragments spread out, each of which is read a few times', () => {
    const doubling = Array.from({ length: 30 }, (_, i) => `fragment F${i} on T { ...F${i + 1} ...F${i + 1} }`).join(
      ' ',
    );
    const document = parse(`{ x { ...F0 } } ${doubling} fragment F30 on T { id }`);
    const onRead = jest.fn(() => {
      // A count of every spread would read two billion.
      if (onRead.mock.calls.length > 10 * document.definitions.length) throw new RangeError('read too often');
    });
    for (const definition of document.definitions) {
      const { selectionSet } = definition as FragmentDefinitionNode;
      const get = (): typeof selectionSet => {
        onRead();
        return selectionSet;
      };
      Object.defineProperty(definition, 'selectionSet', { enumerable: true, get });
    }
    expect(() => assertDocumentWithinLimits(document)).toThrow(refused(DOCUMENT_LIMITS.fields, 'fields'));
    expect(onRead).toHaveBeenCalled();
  });

  it('terminate for cyclic fragments, which validation refuses', () => {
    expect(check('{ ...A } fragment A on Query { x { ...B } } fragment B on T { y { ...A ...B } }')).not.toThrow();
  });

  it('apply to documents that were not parsed from text', () => {
    const selections = Array.from(
      { length: DOCUMENT_LIMITS.tokens },
      () => ({ kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'x' } }) as const,
    );
    const document: DocumentNode = {
      kind: Kind.DOCUMENT,
      definitions: [
        {
          kind: Kind.OPERATION_DEFINITION,
          operation: 'query' as never,
          selectionSet: { kind: Kind.SELECTION_SET, selections },
        },
      ],
    };
    expect(() => assertDocumentWithinLimits(document)).toThrow(refused(DOCUMENT_LIMITS.tokens, 'tokens'));
  });
});
