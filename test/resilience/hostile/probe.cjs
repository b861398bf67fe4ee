// Preloaded into a service process: reports at the socket PROBE_SOCKET how long its event loop was blocked, and its memory.
const { createServer } = require('node:http');
const path = require('node:path');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const v8 = require('node:v8');
const { runInNewContext } = require('node:vm');

const socket = process.env.PROBE_SOCKET;
// Processes that the service starts inherit the preload.
const isService = /(?:^|\/)(?:scripts\/run\.cjs|src\/main\.js)$/.test(
  (process.argv[1] ?? '').split(path.sep).join('/'),
);

if (socket !== undefined && isService) {
  const RESOLUTION_MS = 5;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  v8.setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const read = () => {
    const blockedMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
    delay.reset();
    return { blockedMs };
  };
  const collect = () => {
    collectGarbage();
    const { rss, heapUsed } = process.memoryUsage();
    delay.reset(); // garbage was collected because of the probe
    return { rss, heapUsed };
  };
  const server = createServer((request, response) => {
    response.end(JSON.stringify(request.url === '/memory' ? collect() : read()));
  })
    .listen(socket)
    .unref();
  // A server that is neither referenced nor keeps the process alive is closed when garbage is collected.
  module.exports = { server };
}
