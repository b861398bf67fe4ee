import { type DocumentNode, Kind, type SelectionSetNode } from 'graphql';
import { fragmentsOf } from './document-parts';

/** Size of a selection set, with its fragments spread out. */
export interface DocumentExtent {
  /** Levels of fields below each other. Introspection counts as one level. */
  readonly depth: number;
  /** Levels of selection sets in one another, those of fragments and of introspection included. */
  readonly nesting: number;
  /** Fields of all levels, including those of introspection. */
  readonly fields: number;
  /** Fields of the first level, each alias counted separately, including introspection. */
  readonly rootFields: number;
}

const NO_EXTENT: DocumentExtent = { depth: 0, nesting: 0, fields: 0, rootFields: 0 };

/**
 * Returns the function that measures a selection set of the document. Safe for documents that were not validated. Each
 * fragment is measured once: the time is linear in the document, although fragments that spread each other twice double the
 * fields at every level. What is nested deeper than `maxNesting` is not measured, because it could overflow the stack.
 */
export function createDocumentMeasure(
  document: DocumentNode,
  maxNesting: number,
): (set: SelectionSetNode) => DocumentExtent {
  const fragments = fragmentsOf(document);
  const measured = new Map<string, DocumentExtent>();
  const measureFragment = (name: string): DocumentExtent => {
    const cached = measured.get(name);
    if (cached !== undefined) return cached;
    measured.set(name, NO_EXTENT); // the extent of a cycle, which validation rejects later
    const fragment = fragments.get(name);
    const extent = fragment === undefined ? NO_EXTENT : measure(fragment.selectionSet);
    measured.set(name, extent);
    return extent;
  };
  const measureSelection = (selection: SelectionSetNode['selections'][number]): DocumentExtent => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return measureFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return measure(selection.selectionSet);
    const below = selection.selectionSet === undefined ? NO_EXTENT : measure(selection.selectionSet);
    const depth = isIntrospection(selection.name.value) ? 1 : below.depth + 1;
    return { depth, nesting: below.nesting, fields: below.fields + 1, rootFields: 1 };
  };
  let nesting = 0;
  const measure = (set: SelectionSetNode): DocumentExtent => {
    if (nesting > maxNesting) return NO_EXTENT;
    nesting += 1;
    const extent = set.selections.map(measureSelection).reduce(
      (sum, each) => ({
        depth: Math.max(sum.depth, each.depth),
        nesting: Math.max(sum.nesting, each.nesting),
        fields: sum.fields + each.fields,
        rootFields: sum.rootFields + each.rootFields,
      }),
      NO_EXTENT,
    );
    nesting -= 1;
    return { ...extent, nesting: extent.nesting + 1 };
  };
  return measure;
}

const isIntrospection = (name: string): boolean => name === '__schema' || name === '__type';
