import { rmSync } from 'node:fs';

/** Stops the database server of the run, and removes its files. */
export default async function stopDatabase(): Promise<void> {
  const underTest = globalThis.databaseUnderTest;
  if (underTest === undefined) return;
  globalThis.databaseUnderTest = undefined;
  await underTest.server.stop();
  rmSync(underTest.directory, { recursive: true, force: true });
}
