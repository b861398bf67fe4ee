const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

/** Lists in lists, each with aliases. */
const multiplied = (fields: readonly string[], aliases: number): string =>
  fields.reduceRight((inner, field, level) => times(aliases, (i) => `a${level}_${i}: ${field} { ${inner} }`), 'name');

export const ALIASED_INTROSPECTION = `{ __schema { ${multiplied(['types', 'fields', 'type'], 4)} } }`;

export const ALIASED_TYPES = `{ ${times(40, (i) => `t${i}: __type(name: "Query") { fields { args { name type { ...T } } } }`)} }
  fragment T on __Type { name kind ofType { name kind ofType { name kind } } }`;

/** Within the limits, and not the query that is cached. */
export const LARGEST_INTROSPECTION =
  '{ __schema { types { kind name description fields { name description args { name description } type { name kind } } } } }';

/** Exactly the maximum number of fields: validation compares all fields of one response key. */
export const SAME_FIELDS = `{ me { ${times(999, () => 'id')} } }`;

const WALLET = `0x${'11'.repeat(20)}`;
export const ALIASED_LISTS = `{ ${times(39, (i) => `a${i}: actions(walletAddress: "${WALLET}", limit: 100) { data { id steps { status } } }`)} }`;
