import { z } from 'zod';

/** What a callback hints at. It is not signed: nothing is believed, what it names is looked up. */
export interface SecondaryRampCallback {
  /** Each counts once. */
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

/** `undefined` when it is none of the ramp's. */
export function readCallback(body: unknown): SecondaryRampCallback | undefined {
  const { data } = callback.safeParse(body);
  if (data === undefined) return undefined;
  const { event, event_id: eventId, event_resource_id: resource } = data;
  if (event.startsWith('customer')) return { eventId, transactionId: undefined, customerId: resource };
  return { eventId, transactionId: resource, customerId: data.event_resource?.customer_id ?? undefined };
}
