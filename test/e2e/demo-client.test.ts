import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ApiClient, createApiClient } from '../../scripts/demo/api-client';
import { assertChainsRun, becomeReady } from '../../scripts/demo/embedded-service';
import { sendAndFollow } from '../../scripts/demo/follow-action';

test('the client of the demos reports the code of an error without data', async () => {
  const errors = [{ message: 'no key', extensions: { code: 'AUTHENTICATION_REQUIRED' } }];
  const server = createServer((_request, response) => response.end(JSON.stringify({ errors }))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const client = createApiClient(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, 'key');
    await expect(client.graphql('{ actions }' as never, {})).rejects.toThrow('AUTHENTICATION_REQUIRED: no key');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the client of the demos repeats what was not served in time, and reports a failure that lasts', async () => {
  const unavailable = JSON.stringify({ error: { code: 'PROVIDER_UNAVAILABLE', message: 'it did not respond' } });
  let failures = 1;
  const server = createServer((_request, response) => {
    failures -= 1;
    response.writeHead(failures < 0 ? 200 : 502).end(failures < 0 ? '{"quote":7}' : unavailable);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  try {
    expect(await createApiClient(url, 'key', 30_000).get('/v2/swap/quote', {})).toEqual({ quote: 7 });
    failures = 1;
    await expect(createApiClient(url, 'key').get('/v2/swap/quote', {})).rejects.toThrow('PROVIDER_UNAVAILABLE: it did');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a local chain that does not run is named in one line', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const rpcUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  server.close();
  await once(server, 'close');
  const checked = assertChainsRun({ chains: [{ slug: 'devnet', chainId: 31_337, rpcUrl, tokens: {} }] });
  await expect(checked).rejects.toThrow(/^the local chain devnet does not run at .*npm start"$/);
});

test('a demo waits for a service that is not ready yet, and fails at once when none runs', async () => {
  const statuses = [503, 503, 200];
  const server = createServer((_request, response) => response.writeHead(statuses.shift() ?? 503).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  await becomeReady(url);
  expect(statuses).toEqual([]);
  await expect(becomeReady(url, 0)).rejects.toThrow(`the service is not ready: ${url}/health says`);
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  await expect(becomeReady(url)).rejects.toThrow(`no service responds at ${url}: start it with "npm start" first`);
});

test('an action whose transactions cannot be sent is followed no longer', async () => {
  const signals: AbortSignal[] = [];
  const subscribe = async function* (_operation: unknown, _variables: unknown, signal: AbortSignal) {
    signals.push(signal);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield undefined;
  };
  const api = { subscribe } as unknown as ApiClient;
  const sending = sendAndFollow({ api, id: 'id' }, () => Promise.reject(new Error('no funds')));
  await expect(sending).rejects.toThrow('no funds');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
