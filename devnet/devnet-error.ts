/** The embedded universe cannot do what was asked: says what failed and, where it can, what to do. */
export class DevnetError extends Error {
  override readonly name = 'DevnetError';
}
