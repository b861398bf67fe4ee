import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { DevnetError } from './devnet-error';

/*
 * Runs a command for as long as our end of its standard input is open: the kernel closes it even when this process
 * is killed with a signal that it cannot handle. The command then gets SIGTERM, half a minute to save its state, and SIGKILL.
 */
const SCRIPT = `
exec 3<&0
"$@" </dev/null 3<&- &
command=$!
(
  while read -r _; do :; done
  kill -TERM "$command" 2>/dev/null
  waited=0
  while [ "$waited" -lt 300 ] && kill -0 "$command" 2>/dev/null; do sleep 0.1; waited=$((waited + 1)); done
  kill -KILL "$command" 2>/dev/null
) <&3 3<&- >/dev/null 2>&1 &
watcher=$!
exec 3<&- </dev/null
wait "$command"
status=$?
kill -KILL "$watcher" 2>/dev/null
exit "$status"
`;

export interface Sidecar {
  /** Resolves with what the command left with: its exit code, or 128 and the number of the signal. */
  readonly exited: Promise<number>;
  /** Ends the command in good order. Resolves when it has gone. */
  stop(): Promise<void>;
}

/** `logFile` descriptor receives what the command prints. */
export function startSidecar(command: readonly string[], logFile: number): Sidecar {
  // A process group of its own: Ctrl-C in a terminal would otherwise kill the command before we stop it.
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sidecar', ...command], {
    stdio: ['pipe', logFile, logFile],
    detached: true,
  });
  const { stdin } = child;
  if (stdin === null) throw new DevnetError('the sidecar has no standard input');
  stdin.on('error', () => undefined); // the command left by itself
  const exited = exitCode(child);
  return {
    exited,
    async stop() {
      stdin.end();
      await exited;
    },
  };
}

async function exitCode(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
