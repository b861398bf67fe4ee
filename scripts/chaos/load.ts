import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';

export const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
export const PATH = `/actions?walletAddress=${WALLET}&limit=5`;

export interface Target {
  readonly url: string;
  readonly apiKey: string;
}

/** Requests actions. Resolves to `undefined`, or to what is wrong with the response. Without an agent: a connection of its own. */
export async function requestActions({ url, apiKey }: Target, agent?: Agent): Promise<string | undefined> {
  try {
    const sent = get(url + PATH, { agent: agent ?? false, headers: { 'x-api-key': apiKey } });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode === 200 ? undefined : `HTTP ${String(response.statusCode)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Agents that keep one connection each. */
export const warmAgents = (count: number): readonly Agent[] =>
  Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));

export interface Load {
  /** Stops after the running requests. */
  stop(): Promise<{ readonly requests: number; readonly failures: readonly string[] }>;
}

/** Callers that send one request after the other, half of them on kept connections. */
export function startLoad(target: Target, callers: number): Load {
  const failures: string[] = [];
  const agents = warmAgents(callers / 2);
  let requests = 0;
  let isStopping = false;
  const call = async (agent: Agent | undefined): Promise<void> => {
    while (!isStopping) {
      const failure = await requestActions(target, agent);
      requests += 1;
      if (failure !== undefined) failures.push(failure);
    }
  };
  const running = [...agents, ...agents.map(() => undefined)].map(call);
  return {
    async stop() {
      isStopping = true;
      await Promise.all(running);
      for (const agent of agents) agent.destroy();
      return { requests, failures };
    },
  };
}
