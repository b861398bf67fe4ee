import { rmSync } from 'node:fs';
import { once } from 'node:events';

/** Stops the service as Ctrl-C does, and removes what it left. */
export default async function stopService(): Promise<void> {
  const service = globalThis.serviceUnderTest;
  if (service === undefined) return;
  if (service.process.exitCode === null) {
    const exited = once(service.process, 'exit');
    service.process.kill('SIGINT');
    await exited;
  }
  rmSync(service.directory, { recursive: true, force: true });
}
