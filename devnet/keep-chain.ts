import { createRestartLimit } from '../src/async/restart-limit';
import type { Anvil } from './anvil';
import type { Heartbeat } from './heartbeat';
import { type ChainStart, startChain } from './start-chain';

/** A chain that is started again on its port when its process ends by itself. */
export interface KeptChain extends Pick<Anvil, 'chainId' | 'rpcUrl' | 'rpc'> {
  readonly heartbeat: Heartbeat;
  /** Resolves when the chain has ended for good: it was stopped, or could not be started again. */
  readonly ended: Promise<void>;
  /** Saves the state and ends the process. */
  stop(): Promise<void>;
}

export interface KeepChainOptions {
  readonly start: ChainStart;
  readonly startHeartbeat: (rpc: Anvil['rpc']) => Heartbeat;
}

/**
 * Starts a chain and keeps it running. It continues from its state file, which is at most some seconds old when its process
 * was killed: later transactions are lost, as in a reorganisation.
 *
 * @throws DevnetError when the chain does not start
 */
export async function keepChain({ start, startHeartbeat }: KeepChainOptions): Promise<KeptChain> {
  const { log } = start;
  let anvil = await startChain(start);
  const { chainId, rpcUrl, rpc } = anvil;
  const again = { ...start, anvil: { ...start.anvil, port: Number.parseInt(new URL(rpcUrl).port, 10) } };
  const heartbeat = startHeartbeat(rpc);
  let isStopping = false;
  const mayRestart = createRestartLimit();

  const restart = async (): Promise<boolean> => {
    if (!mayRestart()) return false;
    log(`chain ${String(chainId)} ended by itself and is starting again; its last few seconds may be lost`);
    try {
      // A block that the heartbeat mines would disturb the set-up.
      anvil = await heartbeat.hold(() => startChain(again));
      return true;
    } catch (error) {
      log(error instanceof Error ? error.message : String(error));
      return false;
    }
  };

  let restarting: Promise<boolean> = Promise.resolve(true);
  const watch = async (): Promise<void> => {
    do await anvil.exited;
    while (!isStopping && (await (restarting = restart())));
  };
  const ended = watch();
  return {
    chainId,
    rpcUrl,
    rpc,
    heartbeat,
    ended,
    async stop() {
      isStopping = true;
      await heartbeat.stop();
      await restarting;
      await anvil.stop();
      await ended;
    },
  };
}
