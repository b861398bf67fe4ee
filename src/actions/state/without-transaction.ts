/** Columns of a step that waits for its transaction, whether it never had one or has lost it. */
export const WITHOUT_TRANSACTION = {
  status: 'PENDING',
  txHash: null,
  userOperationHash: null,
  callIndex: null,
  reverted: false,
  blockNumber: null,
  blockHash: null,
  minedAt: null,
  deliveryFlaw: null,
  callId: null,
} as const;
