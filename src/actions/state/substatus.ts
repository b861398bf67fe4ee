/** What an action waits for, or how it ended, beyond its status. */
export const SUBSTATUSES = [
  'WAITING_ORIGIN',
  'WAITING_CONFIRMATIONS',
  'WAITING_ATTESTATION',
  'WAITING_DESTINATION',
  'DESTINATION_MINT_REQUIRED',
  'DEPOSIT_REQUIRED',
  'PAYOUT_PROCESSING',
  'PARTIAL',
  'SLIPPAGE_EXCEEDED',
  'OUT_OF_GAS',
  'EXPIRED',
  'REFUND_QUEUED',
  'REFUND_SENT',
] as const;
export type Substatus = (typeof SUBSTATUSES)[number];
