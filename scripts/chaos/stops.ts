import { setTimeout as wait } from 'node:timers/promises';
import { requireThat } from './chaos-failure';
import { requestActions, startLoad, warmAgents } from './load';
import { type ServiceProcess, startGateway } from './service-process';
import { startTcpProxy } from './tcp-proxy';
import { holdActions, type Scenario, type ScenarioSetup } from './scenario';

const STOP_COUNT = 50;
/** Warm connections. As many requests open connections of their own. */
const CONNECTIONS = 25;
/** Time for the requests to arrive, and the rest of the time for which they last. */
const HELD_MS = 300;

/** Stops under load, which callers must not notice. */
export const STOPS: readonly Scenario[] = [
  {
    name: 'SIGTERM under 50 requests on fresh and warm connections',
    async run(setup, [stops = STOP_COUNT]) {
      for (let stop = 0; stop < stops; stop += 1) await stopUnderLoad(setup);
      const requests = String(stops * 2 * CONNECTIONS);
      return [`${String(stops)} stops: 0 of ${requests} requests failed, and the service always ended with 0`];
    },
  },
  {
    name: 'rolling restart of two instances behind a TCP proxy',
    async run(setup) {
      const proxy = await startTcpProxy();
      const start = async (): Promise<ServiceProcess> => {
        const service = await startGateway(setup.settings);
        proxy.add(service.url);
        await proxy.ready(service.url);
        return service;
      };
      const replace = async (former: ServiceProcess): Promise<ServiceProcess> => {
        const code = await former.stop();
        requireThat(code === 0, `an instance ended with ${String(code)}`);
        proxy.remove(former.url);
        return start();
      };
      const [one, two] = [await start(), await start()];
      const load = startLoad({ url: proxy.url, apiKey: setup.apiKey }, 20);
      const next = [await replace(one), await replace(two)];
      const { requests, failures } = await load.stop();
      await Promise.all(next.map((service) => service.stop()));
      proxy.close();
      const kinds = [...new Set(failures)].join(', ');
      requireThat(failures.length === 0, `${String(failures.length)} of ${String(requests)} requests failed: ${kinds}`);
      return [`0 of ${String(requests)} requests failed`];
    },
  },
];

async function stopUnderLoad(setup: ScenarioSetup): Promise<void> {
  const service = await startGateway(setup.settings);
  const target = { url: service.url, apiKey: setup.apiKey };
  const warm = warmAgents(CONNECTIONS);
  await Promise.all(warm.map((agent) => requestActions(target, agent)));
  const held = await holdActions(setup);
  const running = [...warm, ...warm.map(() => undefined)].map((agent) => requestActions(target, agent));
  await wait(HELD_MS);
  const stopped = service.stop();
  await wait(HELD_MS);
  await held.release();
  const failures = (await Promise.all(running)).filter((failure) => failure !== undefined);
  const code = await stopped;
  for (const agent of warm) agent.destroy();
  requireThat(
    failures.length === 0,
    `${String(failures.length)} of ${String(running.length)} requests failed: ${failures.join(', ')}`,
  );
  requireThat(code === 0, `the service ended with ${String(code)}`);
}
