import type { Readable } from 'node:stream';

/** A body is read on while it is ahead of its pace by less than this: fewer pauses. */
const AHEAD_MS = 50;

/** Takes received bytes, and returns the milliseconds after which more may be read. */
export type TakeBytes = (bytes: number) => number;

/** Reads a body with pauses that keep its pace. */
export function readAtPace(
  body: Readable & { readonly complete?: boolean },
  take: TakeBytes,
  onPart: (part: Buffer) => void,
): void {
  let pause: NodeJS.Timeout | undefined;
  body.on('data', (part: Buffer) => {
    onPart(part);
    const ms = take(part.length);
    // Nothing is left to delay once the request has arrived as a whole.
    if (ms <= AHEAD_MS || body.complete === true) return;
    body.pause();
    pause = setTimeout(() => body.resume(), ms).unref();
  });
  // Nothing keeps a request whose client has left.
  body.once('close', () => clearTimeout(pause));
}
