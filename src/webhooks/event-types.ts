/** The types of events that an endpoint can select. */
export const WEBHOOK_EVENT_TYPES = [
  'quote.created',
  'quote.expired',
  'action.created',
  'action.pending',
  'action.succeeded',
  'action.failed',
  'action.refunded',
  'kyc.updated',
  'ramp.payment_received',
  'ramp.payout_sent',
  'wallet.linked',
  'wallet.unlinked',
] as const;

/** Type of the event that `sendTestWebhook` sends to one endpoint, whatever it selects. */
export const TEST_EVENT_TYPE = 'webhook.test';
