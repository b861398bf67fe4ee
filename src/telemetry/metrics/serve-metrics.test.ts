import { serveMetrics, type MetricsServer } from './serve-metrics';

const metrics = { contentType: 'text/plain; version=0.0.4', render: () => Promise.resolve('up 1\n') };
let server: MetricsServer;
beforeAll(async () => {
  server = await serveMetrics({ host: '127.0.0.1', port: 0, metrics });
});
afterAll(() => server.close());

test('GET /metrics has the metrics, uncached', async () => {
  const response = await fetch(server.url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.text()).toBe('up 1\n');
});

test.each([
  ['GET', '/', 404],
  ['GET', '/health', 404],
  ['POST', '/metrics', 405],
  ['DELETE', '/metrics', 405],
])('%s %s is %i', async (method, path, status) => {
  const response = await fetch(new URL(path, server.url), { method });
  expect(response.status).toBe(status);
  expect(await response.text()).toBe('');
});

test('a port that is in use is reported to the caller', async () => {
  const port = Number(new URL(server.url).port);
  await expect(serveMetrics({ host: '127.0.0.1', port, metrics })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('a failure to render ends the connection, and the next request is served', async () => {
  let isBroken = true;
  const render = () => (isBroken ? Promise.reject(new Error('broken')) : metrics.render());
  const failing = await serveMetrics({ host: '127.0.0.1', port: 0, metrics: { ...metrics, render } });
  try {
    await expect(fetch(failing.url)).rejects.toThrow();
    isBroken = false;
    expect((await fetch(failing.url)).status).toBe(200);
  } finally {
    await failing.close();
  }
});
