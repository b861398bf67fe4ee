import type { Readable } from 'node:stream';
import { createPace } from '../../src/async/pace';
import { UPLOAD_MEGABYTES_PER_SECOND } from '../../src/config/upload-bounds';

/** A body is read on while it is ahead of its pace by less than this: fewer pauses. */
const AHEAD_MS = 50;
/** Longest pause. Well below the time for a body, so that other requests of the caller are not ended for the wait. */
const MAX_PAUSE_MS = 2000;

/** Takes received bytes of a caller, and returns the milliseconds after which more may be read. */
export type BodyPace = (caller: string, bytes: number) => number;

/** The pace of bodies: those of one caller share it. */
export function createBodyPace(megabytesPerSecond = UPLOAD_MEGABYTES_PER_SECOND): BodyPace {
  const pace = createPace({ perSecond: megabytesPerSecond * 1024 * 1024, maxDelayMs: MAX_PAUSE_MS });
  return (caller, bytes) => pace.take(caller, bytes);
}

/** Reads a body with pauses. `take` gets the number of bytes of each part, and returns the milliseconds to pause after it. */
export function readAtPace(
  body: Readable & { readonly complete?: boolean },
  take: (bytes: number) => number,
  onPart: (part: Buffer) => void = () => undefined,
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
