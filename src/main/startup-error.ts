/** Why the service cannot start, in words for the person who started it. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
