import { GraphQLError } from 'graphql';
import { createDocumentStore } from './document-store';

const documentOf = (name: string, padding: string) => `query ${name} { ping } #${padding}`;

describe('the store of parsed documents', () => {
  it('returns a document again without parsing it', () => {
    const store = createDocumentStore();
    expect(store.parse('{ ping }')).toBe(store.parse('{ ping }'));
  });

  it('is bounded by the size of the documents, comments included, and keeps the most recent', () => {
    const store = createDocumentStore();
    const padding = ' '.repeat(50_000);
    const parsed = Array.from({ length: 60 }, (_, i) => store.parse(documentOf(`D${i}`, padding)));
    const isStored = (i: number) => store.parse(documentOf(`D${i}`, padding)) === parsed[i];
    expect([59, 50, 0, 20].map(isStored)).toEqual([true, true, false, false]);
  });

  it('reports brackets that overflow the stack of the parser as a syntax error', () => {
    const nested = `{ a(x: ${'['.repeat(4900)}) }`;
    expect(() => createDocumentStore().parse(nested)).toThrow(GraphQLError);
  });

  it('does not store a document that is mostly comments, and keeps the others', () => {
    const store = createDocumentStore();
    const small = store.parse('{ ping }');
    const source = `{ ping }${'\n#'.repeat(100_000)}`;
    expect(store.parse(source)).not.toBe(store.parse(source));
    expect(store.parse('{ ping }')).toBe(small);
  });
});
