import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { InvariantError } from '../src/errors/invariant-error';

/** Resolves to the next message of a child process. `name` stands in the error. @throws when the process ends before it */
export async function nextMessage(child: ChildProcess, name: string): Promise<unknown> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]: unknown[]) => message),
      once(child, 'exit', { signal }).then(() => {
        throw new InvariantError(`${name} has ended`);
      }),
    ]);
  } finally {
    settled.abort();
  }
}
