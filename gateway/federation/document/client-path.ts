import type { ResponsePath } from '../formatted-error';
import type { FieldSelection, Selections } from './operation-tree';

/**
 * Converts a path in the data to a path in the response: data keys become response keys, and the path ends where the
 * caller's selection ends. Beyond it are keys and inputs of `@requires`, which may be inaccessible.
 */
export function clientPath(levels: readonly Selections[], path: ResponsePath): ResponsePath {
  const translated: (string | number)[] = [];
  let level = levels;
  for (const segment of path) {
    if (typeof segment === 'number') {
      translated.push(segment);
      continue;
    }
    const fields = level.flatMap((selections) => fieldsAt(selections, segment));
    const [first] = fields;
    if (first === undefined) break;
    translated.push(first.responseKey);
    level = fields.flatMap(({ selections }) => (selections === undefined ? [] : [selections]));
  }
  return translated;
}

function fieldsAt(selections: Selections, dataKey: string): readonly FieldSelection[] {
  return selections.flatMap((selection) => {
    if (selection.kind === 'type') return fieldsAt(selection.selections, dataKey);
    return selection.dataKey === dataKey ? [selection] : [];
  });
}
