import { setMaxListeners } from 'node:events';
import { backoffMs } from '../../async/backoff';
import { sleep } from '../../async/sleep';
import { describeFailure } from '../../errors/describe-failure';
import { claimDeployments } from './claim-deployments';
import { deployAccount, type DeployDeps } from './deploy-account';

export interface Deployments {
  /** Starts no further attempts. Resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Deployments that one process carries on at the same time. */
const MAX_CONCURRENT = 4;
const MAX_BACKOFF_MS = 30_000;

/** Deploys smart accounts until stopped. Any number of processes may run. */
export function startDeployments(deps: DeployDeps): Deployments {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every attempt listens
  const lane = runLane(deps, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await lane;
    },
  };
}

async function runLane(deps: DeployDeps, stopping: AbortSignal): Promise<void> {
  const { pollMs, log } = deps;
  const running = new Set<Promise<void>>();
  let failures = 0;
  while (!stopping.aborted) {
    try {
      for (const claimed of await claimDeployments(deps, MAX_CONCURRENT - running.size)) {
        const attempt = deployAccount(deps, claimed, stopping)
          .catch((error: unknown) => {
            // The database is unreachable: then the lease ends by itself.
            log.warn(
              { actionId: claimed.actionId, cause: describeFailure(error) },
              'the result of a deployment could not be stored',
            );
          })
          .finally(() => running.delete(attempt));
        running.add(attempt);
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      log.warn({ failures, cause: describeFailure(error) }, 'due deployments could not be claimed');
    }
    const pause = sleep(backoffMs({ baseMs: pollMs, maxMs: MAX_BACKOFF_MS, failures }), stopping);
    const isFull = running.size === MAX_CONCURRENT && failures === 0;
    await Promise.race([pause, ...(isFull ? running : [])]);
  }
  await Promise.all(running);
}
