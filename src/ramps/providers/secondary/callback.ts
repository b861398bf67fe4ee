import { z } from 'zod';

/** The subject of a callback. Callbacks are not signed, so the subject is only a hint to poll the ramp. */
export interface SecondaryRampCallback {
  /** Equal for every callback of the same event. */
  readonly eventId: string;
  readonly transactionId: string | undefined;
  readonly customerId: string | undefined;
}

const MAX_ID_LENGTH = 100;
const id = z.string().min(1).max(MAX_ID_LENGTH);
const callback = z.object({
  event: z.string().max(MAX_ID_LENGTH),
  event_id: id,
  event_resource_id: id,
  event_resource: z.object({ customer_id: id.nullish() }).nullish(),
});

/** Parses a callback; `undefined` when it is not in the ramp's format. */
export function readCallback(body: unknown): SecondaryRampCallback | undefined {
  const { data } = callback.safeParse(body);
  if (data === undefined) return undefined;
  const { event, event_id: eventId, event_resource_id: resource } = data;
  if (event.startsWith('customer')) return { eventId, transactionId: undefined, customerId: resource };
  return { eventId, transactionId: resource, customerId: data.event_resource?.customer_id ?? undefined };
}
