import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartupError } from './startup-error';

const DEFAULT_PORT = 4000;
const DEFAULT_HOST = '127.0.0.1';

/** Fails before anything else is started. @throws StartupError when the port of the service is in use. */
export async function assertPortIsFree(environment: NodeJS.ProcessEnv): Promise<void> {
  const port = Number.parseInt(environment['PORT'] ?? '', 10) || DEFAULT_PORT;
  if (environment['PORT'] === '0') return;
  const probe = createServer();
  try {
    probe.listen({ port, host: environment['HOST'] ?? DEFAULT_HOST, exclusive: true });
    await once(probe, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return; // a host that cannot be bound is reported later
    throw new StartupError(`Port ${port} is already in use. Choose another port: PORT=${port + 1} npm start`);
  } finally {
    probe.close();
  }
}
