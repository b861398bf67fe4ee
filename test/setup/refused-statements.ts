import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A statement without the privilege, or a new row against a policy: work outside of the scope of a customer or of the service. */
export const REFUSED = /permission denied for|violates row-level security policy/;

/** Reads the log of a process, which a full pipe would block, and finds statements that the database has refused. */
export function refusedStatements(log: Readable): { assertNone(): void } {
  const lines: string[] = [];
  createInterface(log).on('line', (line) => {
    if (REFUSED.test(line)) lines.push(line);
  });
  return {
    assertNone() {
      if (lines.length > 0) throw new Error(`the database has refused statements of the service:\n${lines.join('\n')}`);
    },
  };
}
