import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Limits on responses that clients do not read. */
export interface UnreadResponseLimits {
  /** Maximum time that bytes of a connection may wait to be sent. */
  readonly deadlineMs?: number;
  /** Maximum bytes that wait to be sent, over all connections. */
  readonly maxBytes?: number;
  /** Interval of the checks. */
  readonly checkMs?: number;
}

const DEFAULTS = { deadlineMs: 30_000, maxBytes: 64 * 1024 * 1024, checkMs: 500 };

interface Unread {
  readonly socket: Socket;
  readonly bytes: number;
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
}

/**
 * Destroys the connections of clients that do not read their responses, which would otherwise stay in memory: those whose
 * bytes have waited longer than the deadline, and, above the limit of bytes, the ones with the most bytes.
 * `server.close()` ends the checks.
 */
export function limitUnreadResponses(server: Server, limits: UnreadResponseLimits = {}): void {
  const { deadlineMs, maxBytes, checkMs } = { ...DEFAULTS, ...limits };
  const sockets = new Set<Socket>();
  const waitingSince = new WeakMap<Socket, number>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const unreadOf = (socket: Socket): Unread | undefined => {
    const bytes = socket.writableLength;
    if (bytes === 0) {
      waitingSince.delete(socket);
      return undefined;
    }
    const since = waitingSince.get(socket) ?? performance.now();
    waitingSince.set(socket, since);
    return { socket, bytes, since };
  };

  const check = (): void => {
    const now = performance.now();
    const unread = [...sockets].map(unreadOf).filter((each) => each !== undefined);
    let total = 0;
    for (const { socket, bytes, since } of unread.sort((a, b) => a.bytes - b.bytes)) {
      total += bytes;
      if (now - since > deadlineMs || total > maxBytes) socket.destroy();
    }
  };
  const timer = setInterval(check, checkMs);
  timer.unref();
  server.once('close', () => clearInterval(timer));
}
