import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { InvariantError } from '../../../src/errors/invariant-error';

/**
 * The keys of an object in a subgraph's answer, in parallel arrays: `children[i]` is the shape below `keys[i]`, or
 * `undefined` for a leaf. Lists are transparent. Merging walks this shape and never the keys of an answer: a key that
 * was not asked for, such as `__proto__`, cannot do anything.
 */
export interface ResponseShape {
  readonly keys: string[];
  readonly children: (ResponseShape | undefined)[];
}

interface Source {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Output rewrites: key in the answer → key to merge under. */
  readonly renames: ReadonlyMap<string, string>;
}

/** Shape of the answer to an operation, with `renames` already applied. */
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

function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
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
  const answered = (field.alias ?? field.name).value;
  const key = source.renames.get(answered) ?? answered;
  let position = shape.keys.indexOf(key);
  if (position === -1) {
    position = shape.keys.push(key) - 1;
    shape.children.push(undefined);
  }
  if (field.selectionSet === undefined) return;
  const below = (shape.children[position] ??= { keys: [], children: [] });
  addSelections(source, below, field.selectionSet);
}
