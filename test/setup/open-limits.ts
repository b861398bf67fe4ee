/** Limits that no test reaches by accident. */
export const OPEN_LIMITS = { openActions: 10_000, openDrafts: 10_000, openDeliveries: 10_000 };
