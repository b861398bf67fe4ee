import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode, visit } from 'graphql';
import { serviceError } from '../../../src/errors/service-error';

/**
 * What a caller's document may cost, before anything else looks at it. Validation, planning and compilation grow
 * faster than the document does: 300 aliased root fields take 50 ms to plan, 5,000 aliased fields half a second.
 */
export const DOCUMENT_LIMITS = {
  /** Lexical tokens; give it to `parse` as `maxTokens` too. */
  tokens: 5000,
  /** Fields below each other, with fragments spread out. Introspection is limited by a validation rule instead. */
  depth: 16,
  /** Fields written with an alias. */
  aliases: 100,
  /** Fields of the root type, with fragments spread out. */
  rootFields: 40,
  /** Directives of the whole document. */
  directives: 60,
  /** Fields with fragments spread out: fragments that spread each other twice double at every level. */
  fields: 1000,
} as const;

interface Extent {
  readonly depth: number;
  readonly fields: number;
  readonly ownFields: number;
}

/**
 * Safe for any parsed document, also one that was not validated or whose fragments form a cycle.
 *
 * @throws DOCUMENT_LIMIT_EXCEEDED
 */
export function assertDocumentWithinLimits(document: DocumentNode): void {
  const counts = countNodes(document);
  assertAtMost('tokens', counts.tokens);
  assertAtMost('aliases', counts.aliases);
  assertAtMost('directives', counts.directives);
  const measure = compileMeasure(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const extent = measure(definition.selectionSet);
    assertAtMost('depth', extent.depth);
    assertAtMost('rootFields', extent.ownFields);
    assertAtMost('fields', extent.fields);
  }
}

const LIMIT_NAMES: Readonly<Record<keyof typeof DOCUMENT_LIMITS, string>> = {
  tokens: 'tokens',
  depth: 'levels',
  aliases: 'aliases',
  rootFields: 'root fields',
  directives: 'directives',
  fields: 'fields',
};

function assertAtMost(limit: keyof typeof DOCUMENT_LIMITS, count: number): void {
  const maximum = DOCUMENT_LIMITS[limit];
  if (count > maximum) throw serviceError('DOCUMENT_LIMIT_EXCEEDED', { maximum, counted: LIMIT_NAMES[limit] });
}

/** A document that was not parsed from text has no token count; it has at least one token a node. */
function countNodes(document: DocumentNode): { tokens: number; aliases: number; directives: number } {
  let nodes = 0;
  let aliases = 0;
  let directives = 0;
  visit(document, {
    enter(node) {
      nodes += 1;
      if (node.kind === Kind.FIELD && node.alias !== undefined) aliases += 1;
      if (node.kind === Kind.DIRECTIVE) directives += 1;
    },
  });
  const { tokenCount } = document as { tokenCount?: unknown };
  return { tokens: typeof tokenCount === 'number' ? tokenCount : nodes, aliases, directives };
}

const NO_EXTENT: Extent = { depth: 0, fields: 0, ownFields: 0 };

/** Fragments are measured once each, so that the time is linear in the document. */
function compileMeasure(document: DocumentNode): (set: SelectionSetNode) => Extent {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const measured = new Map<string, Extent>();
  const measureFragment = (name: string): Extent => {
    const known = measured.get(name);
    if (known !== undefined) return known;
    measured.set(name, NO_EXTENT); // what a cycle meets; validation refuses it afterwards
    const fragment = fragments.get(name);
    const extent = fragment === undefined ? NO_EXTENT : measure(fragment.selectionSet);
    measured.set(name, extent);
    return extent;
  };
  const measureSelection = (selection: SelectionSetNode['selections'][number]): Extent => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return measureFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return measure(selection.selectionSet);
    if (isIntrospection(selection.name.value)) return { depth: 1, fields: 1, ownFields: 1 };
    const below = selection.selectionSet === undefined ? NO_EXTENT : measure(selection.selectionSet);
    return { depth: below.depth + 1, fields: below.fields + 1, ownFields: 1 };
  };
  const measure = (set: SelectionSetNode): Extent =>
    set.selections.map(measureSelection).reduce(
      (sum, each) => ({
        depth: Math.max(sum.depth, each.depth),
        fields: sum.fields + each.fields,
        ownFields: sum.ownFields + each.ownFields,
      }),
      NO_EXTENT,
    );
  return measure;
}

const isIntrospection = (name: string): boolean => name === '__schema' || name === '__type';
