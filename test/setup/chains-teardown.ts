import { rmSync } from 'node:fs';
import stopDatabase from './database-teardown';

/** Stops the database and the universes that the tests started, and removes their files. */
export default async function stopUniverses(): Promise<void> {
  await stopDatabase();
  const underTest = globalThis.universesUnderTest;
  if (underTest === undefined) return;
  underTest.server.close();
  underTest.server.closeAllConnections();
  for (const release of underTest.halted.values()) release();
  const universes = await Promise.allSettled([...underTest.universes.values()]);
  await Promise.all(universes.flatMap((result) => (result.status === 'fulfilled' ? [result.value.stop()] : [])));
  rmSync(underTest.directory, { recursive: true, force: true });
}
