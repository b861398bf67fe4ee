export const COLLECTION_STATES = ['OFF', 'PENDING', 'LIVE', 'PAUSED'] as const;

/** States that a customer can request. */
export const REQUESTED_STATES = ['LIVE', 'PAUSED', 'OFF'] as const;
export type RequestedState = (typeof REQUESTED_STATES)[number];

export const RUN_STATES = ['PLANNED', 'DISPATCHED', 'CONFIRMED', 'FAILED', 'UNKNOWN'] as const;

/** Runs with a transaction that may be pending. */
export const UNRESOLVED_RUNS = ['DISPATCHED', 'UNKNOWN'];
/** Items whose wallet may be charged at any moment: withdrawals count their profit as charged. */
export const UNRESOLVED_ITEMS: readonly string[] = ['RESERVED', 'DISPATCHED', 'UNKNOWN'];
