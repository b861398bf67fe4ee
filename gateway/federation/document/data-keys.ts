import { type DocumentNode, type FieldNode, print, visit } from 'graphql';
import { responseKeyOf } from './document-parts';
import type { SupergraphFacts } from '../supergraph-facts';

/** The key under which a field is planned. */
export type DataKeyOf = (field: FieldNode) => string;

/** Keys that every object inherits: the data would seem to contain them before any subgraph responded. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Assigns one key to each meaning of a response key in a document, and avoids keys that the planner needs itself.
 *
 * - `{ ... on A { w { label } } ... on B { w { label(lang: "e") } } }` is valid, but makes the planner abort the process
 *   or use the wrong arguments.
 * - `{ place: code }` hides the key field `place` from lookups that need it.
 * - `label` without arguments is overwritten by a `label(lang: "e")` in some `@requires`.
 *
 * An alias such as `label_2: label(lang: "e")` avoids all three problems.
 */
export function createDataKeys(document: DocumentNode, facts: SupergraphFacts): DataKeyOf {
  const taken = new Set([...INHERITED, ...facts.fieldNames]);
  visit(document, {
    Field(field) {
      taken.add(responseKeyOf(field));
    },
  });
  const keysByMeaning = new Map<string, string>();
  const meaningsByKey = new Map<string, string>();
  return (field) => {
    const responseKey = responseKeyOf(field);
    const meaning = meaningOf(field);
    const identity = `${responseKey} ${meaning}`;
    let key = keysByMeaning.get(identity);
    if (key === undefined) {
      const isFree = isPlannedAsIs(field, facts) && (meaningsByKey.get(responseKey) ?? meaning) === meaning;
      key = isFree ? responseKey : unusedKey(responseKey, taken);
      taken.add(key);
      keysByMeaning.set(identity, key);
      meaningsByKey.set(key, meaning);
    }
    return key;
  };
}

function isPlannedAsIs(field: FieldNode, facts: SupergraphFacts): boolean {
  const key = responseKeyOf(field);
  if (INHERITED.has(key)) return false;
  return key === field.name.value ? !facts.fieldNamesWithArguments.has(key) : !facts.fieldNames.has(key);
}

const meaningOf = ({ name, arguments: given = [] }: FieldNode): string =>
  `${name.value}(${given
    .map((argument) => print(argument))
    .sort()
    .join()})`;

function unusedKey(base: string, taken: ReadonlySet<string>): string {
  let suffix = 2;
  while (taken.has(`${base}_${suffix}`)) suffix += 1;
  return `${base}_${suffix}`;
}
