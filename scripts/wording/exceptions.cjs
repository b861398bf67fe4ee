// Findings that stay: the word as it was found, the file (a path, or the folder that ends with a slash), and why.
const EXCEPTIONS = [
  { word: /./, file: 'scripts/wording/', reason: 'the list of the words' },
  {
    word: /./,
    file: 'prisma/migrations/20261121024500_unlogged_rate_limit/',
    reason: 'applied migrations never change',
  },
  { word: /./, file: 'prisma/migrations/20261121104357_sealed_answers/', reason: 'applied migrations never change' },
  { word: /./, file: 'prisma/migrations/20261122021500_delivery_phase/', reason: 'names the renamed columns' },
  {
    word: /^(looks|nextLookAt)$/,
    file: 'src/actions/state/delivery-phase-migration.db.test.ts',
    reason: 'rows in the form before the migration',
  },
  {
    word: /^answers?$/i,
    file: 'src/auth/idempotency/',
    reason: 'a column and a key derivation label of stored responses',
  },
  {
    word: /^COMPLETION_LEAST_USD$/,
    file: 'src/config/',
    reason: 'former name of a variable, accepted for one release',
  },
  { word: /^least$/, file: 'src/ramps/stored-ticket.ts', reason: 'key of stored JSON' },
  { word: /^ways$/, file: 'src/venues/providers/afluente/', reason: 'key of stored JSON' },
  { word: /^db$/, file: 'prisma/schema.prisma', reason: 'name of the data source, as in the documentation of Prisma' },
  { word: /^answer$/, file: 'prisma/schema.prisma', reason: 'name of a stored column' },
];

/** True for a finding that the list above keeps. */
function isException(file, word) {
  return EXCEPTIONS.some(
    (kept) => (kept.file.endsWith('/') ? file.startsWith(kept.file) : file === kept.file) && kept.word.test(word),
  );
}

module.exports = { isException };
