import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { type BitcoinEmulator, startBitcoinEmulator } from '../../devnet/emulators/bitcoin/start-bitcoin-emulator';
import { customerNamed, type RestResponse, type RunningService, runningService } from '../setup/running-service';

export interface AskOptions {
  /** POST when there is a body, else GET, when not given. */
  readonly method?: string;
  readonly body?: unknown;
  /** Replace or add; `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Calls a path of a deployment. */
export type Ask = (target: string, options?: AskOptions) => Promise<RestResponse>;

/** What the cases of error codes are produced with. */
export interface ErrorWorld {
  /** The service that the test run started. */
  readonly healthy: Ask;
  /**
   * A gateway on the same database that is badly off: the node of `devnet-l2` and all third parties answer 500, Across is
   * not registered, one request a minute is let in without a key, and its Bitcoin is `bitcoin`, which pays nothing out.
   */
  readonly crippled: Ask;
  readonly service: RunningService;
  readonly database: Client;
  readonly bitcoin: BitcoinEmulator;
  /** What a command of the admin tool says. */
  admin(...args: readonly string[]): Promise<any>;
  stop(): Promise<void>;
}

export type Environment = Readonly<Record<string, string>>;

const RUN = path.resolve(__dirname, '../../scripts/run.cjs');

export async function openErrorWorld(): Promise<ErrorWorld> {
  const service = runningService();
  const environment = deploymentOf();
  const database = new Client({ connectionString: environment['DATABASE_URL'] });
  const [failing, bitcoin] = await Promise.all([startFailing(), startBitcoin(service), database.connect()]);
  const gateway = await startCrippled(environment, { failing: urlOf(failing), bitcoin });
  const apiKey = customerNamed(service, 'load').apiKey;
  return {
    service,
    database,
    bitcoin,
    healthy: askerOf(service.baseUrl, apiKey),
    crippled: askerOf(gateway.url, apiKey),
    admin: (...args) => admin(environment, args),
    async stop() {
      await Promise.all([gateway.stop(), bitcoin.stop(), database.end()]);
      failing.close();
    },
  };
}

/** How the embedded service is configured. */
export const deploymentOf = (directory = process.env['AFLUENTE_TEST_SERVICE'] ?? ''): Environment =>
  JSON.parse(readFileSync(path.join(directory, 'environment.json'), 'utf8')) as Environment;

export const askerOf =
  (baseUrl: string, apiKey: string): Ask =>
  async (target, { body, method = body === undefined ? 'GET' : 'POST', headers = {} } = {}) => {
    const all: Record<string, string | undefined> = {
      'x-api-key': apiKey,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(baseUrl + target, { method, headers: sent, body: text });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

/** Nodes and third parties that are down. */
async function startFailing(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"out of order"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const urlOf = (server: Server): string => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;

/** A Bitcoin of our own, so that nobody else meets what it is made to do. */
async function startBitcoin({ chains, accounts }: RunningService): Promise<BitcoinEmulator> {
  const emulator = await startBitcoinEmulator({
    payerKey: accounts[0]!.privateKey,
    prices: { BTC: 90_000, ETH: 3000, USDC: 1 },
    chains: chains
      .filter(({ slug }) => slug === 'devnet')
      .map(({ chainId, rpcUrl, tokens }) => ({
        chainId,
        rpcUrl,
        tokens: [{ address: tokens['USDC']!, symbol: 'USDC', decimals: 6 }],
      })),
  });
  await steerBitcoin(emulator, 'stall');
  return emulator;
}

/** What becomes of deposits: see the emulator. */
export async function steerBitcoin({ relayUrl }: BitcoinEmulator, mode: 'stall' | 'refuse'): Promise<void> {
  await fetch(`${relayUrl}/_control/bitcoin`, { method: 'POST', body: JSON.stringify({ mode }) });
}

interface Upstreams {
  readonly failing: string;
  readonly bitcoin: BitcoinEmulator;
}

/** A gateway in a process of its own. */
export interface Gateway {
  readonly url: string;
  stop(): Promise<void>;
}

/** A gateway with keys of the ramps of the service would have them call it back instead. */
export const WITHOUT_RAMPS = { PRIMARY_RAMP_API_KEY: '', SECONDARY_RAMP_API_KEY: '' };

const startCrippled = (deployment: Environment, { failing, bitcoin }: Upstreams): Promise<Gateway> =>
  startGateway({
    ...deployment,
    ACROSS_API_KEY: '',
    RPC_URL_DEVNET_L2: failing,
    ACROSS_API_URL: failing,
    CCTP_API_URL: failing,
    LIFI_API_URL: failing,
    ZEROEX_API_URL: failing,
    RELAY_API_URL: bitcoin.relayUrl,
    RPC_URL_BITCOIN_LOCAL: bitcoin.esploraUrl,
    RATE_LIMIT_PER_MINUTE_UNAUTHENTICATED: '1',
    TRUSTED_PROXIES: '1',
    ...WITHOUT_RAMPS,
  });

/** A gateway of a deployment that is configured so. */
export async function startGateway(environment: Environment): Promise<Gateway> {
  const child = spawn(process.execPath, [RUN, 'src/main'], {
    env: { ...process.env, ...environment, ROLE: 'gateway', PORT: '0', LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    const entry = JSON.parse(line) as { readonly msg: string; readonly url: string };
    if (entry.msg !== 'ready') continue;
    child.stdout.resume(); // what it says from here on is not read, and must not hold it up
    return { url: entry.url, stop: () => ended(child) };
  }
  throw new Error('a gateway ended before it was ready');
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

async function admin(environment: Environment, args: readonly string[]): Promise<any> {
  const child = spawn(process.execPath, [RUN, 'src/admin/main', ...args, '--json'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  return JSON.parse(output);
}
