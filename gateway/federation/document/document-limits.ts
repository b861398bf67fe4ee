import { type ASTNode, type DocumentNode, Kind, visit } from 'graphql';
import { serviceError } from '../../../src/errors/service-error';
import { createDocumentMeasure } from './measure-document';

/**
 * Limits of a caller's document, checked before anything else. The time of validation, planning and compilation grows
 * faster than the document: 300 aliased root fields take 50 ms to plan, 5,000 aliased fields half a second.
 */
export const DOCUMENT_LIMITS = {
  /** Lexical tokens; also the `maxTokens` of `parse`. */
  tokens: 5000,
  /** Levels of nested fields, with fragments expanded. A validation rule limits introspection instead. */
  depth: 16,
  /**
   * Levels of selection sets in one another, with fragments expanded. The planner rejects more than 50 brackets in one
   * another, those of arguments included.
   */
  nesting: 40,
  /** Lists and objects in one another in a literal; the same as in a variable (`text-safety.ts`). */
  literalDepth: 32,
  /** Fields written with an alias. */
  aliases: 100,
  /** Fields of the root type, with fragments expanded. */
  rootFields: 40,
  /** Directives of the whole document. */
  directives: 60,
  /**
   * Fields, both as written and with fragments expanded, introspection included. Fragments that spread each other twice
   * double at every level; validation compares all fields of one response key.
   */
  fields: 1000,
  /** Fragment definitions, which validation compares with each other. */
  fragments: 150,
  /** Operations. Each that is requested is prepared with a copy of the whole document. */
  operations: 50,
} as const;

/**
 * Safe for any parsed document, including unvalidated ones and cyclic fragments.
 *
 * @throws DOCUMENT_LIMIT_EXCEEDED
 */
export function assertDocumentWithinLimits(document: DocumentNode): void {
  const counts = countNodes(document);
  assertAtMost('tokens', counts.tokens);
  assertAtMost('literalDepth', counts.literalDepth);
  assertAtMost('aliases', counts.aliases);
  assertAtMost('directives', counts.directives);
  assertAtMost('fields', counts.fields);
  assertAtMost('fragments', counts.fragments);
  assertAtMost('operations', counts.operations);
  const measure = createDocumentMeasure(document, DOCUMENT_LIMITS.nesting);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const extent = measure(definition.selectionSet);
    assertAtMost('depth', extent.depth);
    assertAtMost('nesting', extent.nesting);
    assertAtMost('rootFields', extent.rootFields);
    assertAtMost('fields', extent.fields);
  }
}

const LIMIT_NAMES: Readonly<Record<keyof typeof DOCUMENT_LIMITS, string>> = {
  tokens: 'tokens',
  depth: 'levels',
  nesting: 'levels of selections',
  literalDepth: 'levels of a literal',
  aliases: 'aliases',
  rootFields: 'root fields',
  directives: 'directives',
  fields: 'fields',
  fragments: 'fragments',
  operations: 'operations',
};

function assertAtMost(limit: keyof typeof DOCUMENT_LIMITS, count: number): void {
  const maximum = DOCUMENT_LIMITS[limit];
  if (count > maximum) throw serviceError('DOCUMENT_LIMIT_EXCEEDED', { maximum, counted: LIMIT_NAMES[limit] });
}

type NodeCounts = Pick<
  Record<keyof typeof DOCUMENT_LIMITS, number>,
  'tokens' | 'literalDepth' | 'aliases' | 'directives' | 'fields' | 'fragments' | 'operations'
>;

/** A document that was not parsed from text has no token count, but at least one token per node. */
function countNodes(document: DocumentNode): NodeCounts {
  const nodes = { all: 0, literalDepth: 0, aliases: 0, directives: 0, fields: 0, fragments: 0, operations: 0 };
  let depth = 0;
  visit(document, {
    enter(node) {
      nodes.all += 1;
      if (isCompositeLiteral(node)) nodes.literalDepth = Math.max(nodes.literalDepth, (depth += 1));
      if (node.kind === Kind.FIELD) {
        nodes.fields += 1;
        if (node.alias !== undefined) nodes.aliases += 1;
      }
      if (node.kind === Kind.DIRECTIVE) nodes.directives += 1;
      if (node.kind === Kind.FRAGMENT_DEFINITION) nodes.fragments += 1;
      if (node.kind === Kind.OPERATION_DEFINITION) nodes.operations += 1;
    },
    leave(node) {
      if (isCompositeLiteral(node)) depth -= 1;
    },
  });
  const { all, ...counts } = nodes;
  const { tokenCount } = document as { tokenCount?: unknown };
  const tokens = typeof tokenCount === 'number' ? tokenCount : all;
  return { tokens, ...counts };
}

const isCompositeLiteral = ({ kind }: ASTNode): boolean => kind === Kind.LIST || kind === Kind.OBJECT;
