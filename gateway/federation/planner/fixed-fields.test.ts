import { type DefinitionNode, parse, print } from 'graphql';
import { withFixedFields } from './fixed-fields';

const fix = (sdl: string) => withFixedFields(parse(sdl, { noLocation: true }));
const SDL = `type Book {
  id: ID!
  weight(unit: String): Int @join__field(graph: A) @join__field(graph: B, external: true)
  weight_fixed_1: Int
  sequel(n: Int): Book
  postage: Int @join__field(graph: B, requires: "id weight(unit: \\"kg\\")")
  label: Int @join__field(graph: B, requires: "weight(unit: \\"g\\") sequel(n: 1) { weight(unit: \\"kg\\") }")
}`;

/** The fields that the planner's supergraph has in addition or with other directives. */
function changes(sdl: string): readonly string[] {
  const known = new Set(fieldsOf(parse(sdl).definitions));
  return fieldsOf(fix(sdl).document.definitions).filter((field) => !known.has(field));
}

const fieldsOf = (definitions: readonly DefinitionNode[]): readonly string[] =>
  definitions.flatMap((definition) =>
    'fields' in definition ? (definition.fields ?? []).map((field) => `${definition.name.value}.${print(field)}`) : [],
  );

describe('the supergraph of the planner', () => {
  it('has a field without arguments for each field with the arguments of a @requires', () => {
    expect(changes(SDL)).toEqual([
      'Book.postage: Int @join__field(graph: B, requires: "id weight_fixed_2")',
      'Book.label: Int @join__field(graph: B, requires: "weight_fixed_3 sequel_fixed_1 {\\n  weight_fixed_2\\n}")',
      'Book.weight_fixed_2: Int @join__field(graph: A) @join__field(graph: B, external: true)',
      'Book.weight_fixed_3: Int @join__field(graph: A) @join__field(graph: B, external: true)',
      'Book.sequel_fixed_1: Book',
    ]);
  });

  it('has it in an interface and all its implementations, and in the types of fragments', () => {
    const media = `
      interface Media { size(in: String): Int other: Media small: Int @join__field(graph: B, requires: "other { size(in: \\"cm\\") ... on Film { length(in: \\"s\\") } }") }
      type Film implements Media { size(in: String): Int other: Media small: Int length(in: String): Int }
      type Song implements Media { size(in: String): Int other: Media small: Int length(in: String): Int }`;
    expect(changes(media).slice(1)).toEqual([
      'Media.size_fixed_1: Int',
      'Film.size_fixed_1: Int',
      'Film.length_fixed_1: Int',
      'Song.size_fixed_1: Int',
    ]);
  });

  it('is the same where no @requires has arguments', () => {
    const document = parse(
      'type Book { pages: Int @join__field(graph: A) cost: Int @join__field(graph: B, requires: "pages") }',
    );
    expect(withFixedFields(document)).toEqual({ document, fixedFields: new Map() });
  });
});
