import { fork } from 'node:child_process';
import { z } from 'zod';
import { nextMessage } from '../next-message';

const readySchema = z.object({
  url: z.url(),
  trade: z.object({ chain: z.string(), tokenIn: z.string(), tokenOut: z.string() }),
});
const timesSchema = z.object({
  ownTimes: z.array(z.tuple([z.string(), z.number()])).transform((entries) => new Map(entries)),
  cpuMicroseconds: z.number(),
  /** Statements that the process has sent to its database, where it counts them. */
  statements: z.number().optional(),
});

/** The service in its own process. */
export interface ServerProcess extends z.infer<typeof readySchema> {
  /** The providers' own times by amount, in milliseconds, the CPU time of the process, and its statements. */
  times(): Promise<z.infer<typeof timesSchema>>;
  stop(): void;
}

/** `file`: the program, which sends its address first. */
export async function startServer(environment: NodeJS.ProcessEnv, file: string): Promise<ServerProcess> {
  // Its request log goes to its standard output, like that of a container, and is discarded.
  const child = fork(file, {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const ready = readySchema.parse(await nextMessage(child, 'the service'));
  return {
    ...ready,
    async times() {
      const response = nextMessage(child, 'the service');
      child.send('times');
      return timesSchema.parse(await response);
    },
    stop: () => child.disconnect(),
  };
}
