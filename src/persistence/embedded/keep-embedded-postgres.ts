import { createRestartLimit, MAX_RESTARTS } from '../../async/restart-limit';
import { sleep } from '../../async/sleep';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './start-embedded-postgres';

/** Time in which a server that ended must run again. */
const RESTART_DEADLINE_MS = 60_000;
const RETRY_MS = 200;

const ENDS_AGAIN = `The embedded database ends again and again: more than ${MAX_RESTARTS} times in a minute. Its log in the data directory has the cause.`;

export interface KeepOptions extends EmbeddedPostgresOptions {
  readonly log: (line: string) => void;
  readonly restartDeadlineMs?: number;
}

export interface KeptPostgres {
  readonly url: string;
  /** Resolves when the server could not be started again, or ended too often; pending otherwise. */
  readonly failed: Promise<EmbeddedPostgresError>;
  stop(): Promise<void>;
}

/**
 * An embedded server that is started again on its port when it ends by itself, so that its URL stays valid. Committed rows
 * survive.
 *
 * @throws EmbeddedPostgresError when the server cannot run on this machine
 */
export async function keepEmbeddedPostgres({ log, restartDeadlineMs, ...options }: KeepOptions): Promise<KeptPostgres> {
  let server = await startEmbeddedPostgres(options);
  const { url } = server;
  const stopping = new AbortController();
  const restart = createRestart({ ...options, port: Number.parseInt(new URL(url).port, 10) }, restartDeadlineMs);
  const mayRestart = createRestartLimit();
  const watch = async (): Promise<EmbeddedPostgresError | undefined> => {
    for (;;) {
      await server.untilEnded(stopping.signal);
      if (stopping.signal.aborted) return undefined;
      if (!mayRestart()) return new EmbeddedPostgresError(ENDS_AGAIN);
      log('The embedded database ended by itself and is starting again. Requests get 503 until then.');
      const restarted = await restart(stopping.signal);
      if (restarted instanceof EmbeddedPostgresError) return restarted;
      if (restarted === undefined) return undefined;
      server = restarted;
      log('The embedded database runs again.');
    }
  };
  const watching = watch();
  return {
    url,
    failed: new Promise((resolve) => void watching.then((failure) => failure !== undefined && resolve(failure))),
    async stop() {
      stopping.abort();
      await watching;
      await server.stop();
    },
  };
}

/** Starts the server again; `undefined` when it was stopped meanwhile. Its port may be in use for some time. */
function createRestart(options: EmbeddedPostgresOptions, deadlineMs = RESTART_DEADLINE_MS) {
  return async (signal: AbortSignal): Promise<EmbeddedPostgres | EmbeddedPostgresError | undefined> => {
    const endsAt = performance.now() + deadlineMs;
    while (!signal.aborted) {
      try {
        return await startEmbeddedPostgres(options);
      } catch (error) {
        if (!(error instanceof EmbeddedPostgresError)) throw error;
        if (performance.now() > endsAt) return error;
      }
      await sleep(RETRY_MS, signal);
    }
    return undefined;
  };
}
