/** The database cannot be used with the schema of this version; the message is for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}
