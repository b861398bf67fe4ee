import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { fragmentsOf, responseKeyOf } from '../document/document-parts';
import { InvariantError } from '../../../src/errors/invariant-error';

/**
 * The keys of an object in a subgraph's response, in parallel arrays: `children[i]` is the shape below `keys[i]`, or
 * `undefined` for a leaf. Lists are transparent. Merging iterates over this shape and never over the keys of a response, so
 * that an unexpected key such as `__proto__` has no effect.
 */
export interface ResponseShape {
  readonly keys: string[];
  readonly children: (ResponseShape | undefined)[];
}

interface Source {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Output rewrites: key in the response → key in the data. */
  readonly renames: ReadonlyMap<string, string>;
}

/** Shape of the response to an operation, with `renames` applied. */
export function responseShapeOf(document: DocumentNode, renames: ReadonlyMap<string, string>): ResponseShape {
  const shape: ResponseShape = { keys: [], children: [] };
  const source = { fragments: fragmentsOf(document), renames };
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) addSelections(source, shape, definition.selectionSet);
  }
  return shape;
}

/** The shape below a key, which the operation must select. */
export function shapeBelow(shape: ResponseShape, key: string): ResponseShape {
  const below = shape.children[shape.keys.indexOf(key)];
  if (below === undefined) throw new InvariantError(`the operation of a fetch does not select ${key}`);
  return below;
}

function addSelections(source: Source, shape: ResponseShape, set: SelectionSetNode): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      addField(source, shape, selection);
      continue;
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : source.fragments.get(selection.name.value);
    if (fragment === undefined) throw new InvariantError('the operation of a fetch spreads an unknown fragment');
    addSelections(source, shape, fragment.selectionSet);
  }
}

function addField(source: Source, shape: ResponseShape, field: FieldNode): void {
  const responseKey = responseKeyOf(field);
  const key = source.renames.get(responseKey) ?? responseKey;
  let position = shape.keys.indexOf(key);
  if (position === -1) {
    position = shape.keys.push(key) - 1;
    shape.children.push(undefined);
  }
  if (field.selectionSet === undefined) return;
  const below = (shape.children[position] ??= { keys: [], children: [] });
  addSelections(source, below, field.selectionSet);
}
