/** A failure of the embedded universe. The message states what failed and, where possible, what to do next. */
export class DevnetError extends Error {
  override readonly name = 'DevnetError';
}
