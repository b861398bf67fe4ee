import { InvariantError } from '../../src/errors/invariant-error';
import { findEmbeddedService } from '../demo/embedded-service';
import { startReceiver } from './receiver';
import { type DashboardAccess, registerEndpoint, removeEndpoint } from './register-endpoint';

const DEFAULT_PORT = 4010;

/**
 * `npm run webhooks:listen [port]`: receives, verifies and prints the events of the customer `demo` of the embedded mode. It
 * registers itself as an endpoint, and removes the endpoint when it ends.
 */
async function main([port = String(DEFAULT_PORT)]: readonly string[]): Promise<void> {
  if (!/^\d{1,5}$/.test(port)) throw new InvariantError(`the port must be a number, not "${port}"`);
  const { customers, graphqlUrl } = await findEmbeddedService();
  const demo = customers.find(({ name }) => name === 'demo');
  const token = demo?.bearer?.['developer'];
  if (demo === undefined || token === undefined) {
    throw new InvariantError('the service has no customer "demo" with access tokens: start it with "npm start"');
  }
  const secrets = demo.webhookSecret === undefined ? [] : [demo.webhookSecret];
  const receiver = await startReceiver({ port: Number.parseInt(port, 10), secrets: () => secrets, onEvent: print });
  const access: DashboardAccess = { graphqlUrl, token };
  const { id, secret } = await registerEndpoint(access, `${receiver.url}/`);
  secrets.push(secret);
  console.log(`Listening at ${receiver.url}/ for events of the customer "demo". Ctrl-C ends it.`);
  const end = async (): Promise<void> => {
    await removeEndpoint(access, id).catch(() => undefined); // the service may have stopped first
    await receiver.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());
}

function print({
  id,
  body,
  isVerified,
}: {
  readonly id: string;
  readonly body: string;
  readonly isVerified: boolean;
}): void {
  const shown = isVerified
    ? JSON.stringify(JSON.parse(body), undefined, 2)
    : 'a request without a valid signature: rejected';
  console.log(`\n${isVerified ? 'verified' : 'REJECTED'} ${id}\n${shown}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
