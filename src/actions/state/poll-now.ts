import { Prisma } from '../../persistence/client/client';

/**
 * Assignments of an UPDATE of "Delivery" that schedules a poll at once. A running poll loses its lease: its outcome may
 * be stale and is discarded.
 */
export const POLL_NOW = Prisma.sql`phase = 'ACTIVE', "nextPollAt" = now(), "pollCount" = 0, "leasedUntil" = NULL`;
