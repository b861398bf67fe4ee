import stopDatabase from './database-teardown';

/** Stops the database, and the universes when the last of their tests has not done so. */
export default async function stopUniverses(): Promise<void> {
  await stopDatabase();
  await globalThis.universesUnderTest?.stop();
  globalThis.universesUnderTest = undefined;
}
