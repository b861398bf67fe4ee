/** A bug of the service. Callers receive INTERNAL_SERVER_ERROR; the log has the whole error. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws when something that the program itself guarantees does not hold. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (condition === false || condition === null || condition === undefined) throw new InvariantError(message);
}
