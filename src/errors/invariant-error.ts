/** A bug of ours: shown to callers as INTERNAL_SERVER_ERROR, logged whole. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** Throws when something that the program itself guarantees does not hold. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (condition === false || condition === null || condition === undefined) throw new InvariantError(message);
}
