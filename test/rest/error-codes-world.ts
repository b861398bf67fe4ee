import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Client } from 'pg';
import { type BitcoinEmulator, startBitcoinEmulator } from '../../devnet/emulators/bitcoin/start-bitcoin-emulator';
import { type RoleProcess, startRole } from '../setup/role-process';
import {
  customerNamed,
  type RestRequest,
  type RestResponse,
  type RunningService,
  runningService,
  sendRequest,
} from '../setup/running-service';

/** Sends a request to a path of a deployment. */
export type SendRequest = (target: string, options?: RestRequest) => Promise<RestResponse>;

/** The deployments and controls that the cases of error codes use. */
export interface ErrorWorld {
  /** The service that the test run started. */
  readonly healthy: SendRequest;
  /**
   * A gateway on the same database with failing dependencies: the node of `devnet-l2` and all third parties return 500,
   * Across is not registered, the limit without a key is one request a minute, and its Bitcoin network is `bitcoin`,
   * which makes no payouts.
   */
  readonly degraded: SendRequest;
  readonly service: RunningService;
  readonly database: Client;
  readonly bitcoin: BitcoinEmulator;
  /** Runs a command of the admin tool and returns its output. */
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
  const gateway = await startDegraded(environment, { failing: urlOf(failing), bitcoin });
  const apiKey = customerNamed(service, 'load').apiKey;
  return {
    service,
    database,
    bitcoin,
    healthy: requestSender(service.baseUrl, apiKey),
    degraded: requestSender(gateway.url, apiKey),
    admin: (...args) => admin(environment, args),
    async stop() {
      await Promise.all([gateway.stop(), bitcoin.stop(), database.end()]);
      failing.close();
    },
  };
}

/** The environment variables of the embedded service. */
export const deploymentOf = (directory = process.env['AFLUENTE_TEST_SERVICE'] ?? ''): Environment =>
  JSON.parse(readFileSync(path.join(directory, 'environment.json'), 'utf8')) as Environment;

export const requestSender =
  (baseUrl: string, apiKey: string): SendRequest =>
  (target, options = {}) =>
    sendRequest(baseUrl + target, apiKey, options);

/** A server for failing nodes and third parties. */
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

/** A separate Bitcoin network, so that its failures do not affect other tests. */
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
  await setBitcoinMode(emulator, 'stall');
  return emulator;
}

/** Sets how the emulator handles deposits. */
export async function setBitcoinMode({ relayUrl }: BitcoinEmulator, mode: 'stall' | 'refuse'): Promise<void> {
  await fetch(`${relayUrl}/_control/bitcoin`, { method: 'POST', body: JSON.stringify({ mode }) });
}

interface Upstreams {
  readonly failing: string;
  readonly bitcoin: BitcoinEmulator;
}

/** A gateway in a separate process. */
/** No API keys of the ramps: with them, the gateway would replace the callback URLs of the service. */
export const WITHOUT_RAMPS = { PRIMARY_RAMP_API_KEY: '', PRIMARY_RAMP_PRIVATE_KEY: '', SECONDARY_RAMP_API_KEY: '' };

const startDegraded = (deployment: Environment, { failing, bitcoin }: Upstreams): Promise<RoleProcess> =>
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

/** Starts a gateway with the environment variables. */
export const startGateway = (environment: Environment): Promise<RoleProcess> =>
  startRole({ ...environment, ROLE: 'gateway' });

async function admin(environment: Environment, args: readonly string[]): Promise<any> {
  const child = spawn(process.execPath, [RUN, 'src/admin/main', ...args, '--json'], {
    env: { ...process.env, ...environment, AFLUENTE_ENV_FILE: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  return JSON.parse(output);
}
