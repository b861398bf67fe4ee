import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sleep } from '../src/async/sleep';
import { MNEMONIC, ACCOUNT_COUNT } from './accounts';
import { anvilBinary } from './anvil-binary';
import { DevnetError } from './devnet-error';
import { freePort } from './free-port';
import { type JsonRpc, createJsonRpc } from './json-rpc';
import { startSidecar } from './sidecar';

export interface AnvilOptions {
  readonly chainId: number;
  /** A free one when not given. */
  readonly port?: number | undefined;
  /** Blocks, transactions, receipts and accounts are saved to it and loaded from it when it is there. */
  readonly stateFile: string;
  readonly logFile: string;
  /** Unix time of the first block, in seconds; now when not given. The clock goes on from there until it is set. */
  readonly genesisTime?: number | undefined;
  /** Finds a free port, or checks the required one. Defaults to `freePort`. */
  readonly findPort?: typeof freePort;
}

/** A chain in a process of its own on loopback. Mines a block for every transaction that arrives. */
export interface Anvil {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly rpc: JsonRpc;
  /** Resolves when the process has gone, for whatever reason. */
  readonly exited: Promise<number>;
  /** Saves the state and ends the process. */
  stop(): Promise<void>;
}

/** What kill -9 of everything at once can lose. */
const STATE_INTERVAL_SECONDS = 3;
export const BLOCK_GAS_LIMIT = 60_000_000;
/** States kept for calls at past blocks. Without a bound the chain writes each of them to the disk. */
const PAST_STATES = 256;
/** Ends the wait for a process that runs and never listens. A busy machine may need a minute to start one. */
const START_TIMEOUT_MS = 120_000;
/** Another process can take a free port before the chain does. */
const MAX_PORTS = 3;

/** @throws DevnetError with the last lines of the log when the chain does not come up. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { findPort = freePort } = options;
  for (let tried = 1; ; tried += 1) {
    const port = await findPort(options.port);
    try {
      return await startAnvilAt(port, options);
    } catch (error) {
      const isTaken = error instanceof DevnetError && error.message.includes('Address already in use');
      if (!isTaken || options.port !== undefined || tried === MAX_PORTS) throw error;
    }
  }
}

async function startAnvilAt(port: number, options: AnvilOptions): Promise<Anvil> {
  mkdirSync(path.dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'w');
  const sidecar = startSidecar([anvilBinary(), ...anvilArguments(options, port)], log);
  closeSync(log);
  const rpc = createJsonRpc(`http://127.0.0.1:${String(port)}`);
  const left = sidecar.exited.then((code) => {
    throw new DevnetError(`chain ${String(options.chainId)} ended with ${String(code)}: ${tail(options.logFile)}`);
  });
  const ended = new AbortController();
  try {
    await Promise.race([waitUntilReady(rpc, options.chainId, ended.signal), left]);
  } catch (error) {
    ended.abort();
    await sidecar.stop();
    throw error;
  }
  left.catch(() => undefined); // from here on `exited` reports it
  return { chainId: options.chainId, rpcUrl: rpc.url, rpc, exited: sidecar.exited, stop: () => sidecar.stop() };
}

function anvilArguments({ chainId, stateFile, genesisTime }: AnvilOptions, port: number): string[] {
  const options = {
    'chain-id': chainId,
    port,
    host: '127.0.0.1',
    accounts: ACCOUNT_COUNT,
    mnemonic: MNEMONIC,
    order: 'fifo',
    state: stateFile,
    'state-interval': STATE_INTERVAL_SECONDS,
    'gas-limit': BLOCK_GAS_LIMIT,
    'prune-history': PAST_STATES,
    ...(genesisTime === undefined ? {} : { timestamp: genesisTime }),
  };
  return ['--quiet', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])];
}

async function waitUntilReady(rpc: JsonRpc, chainId: number, ended: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!ended.aborted && Date.now() < deadline) {
    try {
      if ((await rpc.call('eth_chainId')) === `0x${chainId.toString(16)}`) return;
    } catch {
      // not listening yet
    }
    await sleep(10, ended);
  }
  throw new DevnetError(`chain ${String(chainId)} does not respond at ${rpc.url}`);
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trim().slice(-500);
}
