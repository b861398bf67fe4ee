import { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';
import { apiPath, type SecondaryRampApi } from './ramp-api';
import { listOf, readResponse, refusalText, unreadable } from './api-schemas';

/** The events in the ramp's guides. Other changes are found by polling. */
const EVENTS = ['payin.created', 'payin.processing', 'payin.completed', 'payout.completed', 'payout.failed'];

const configs = z.array(z.object({ id: z.string().min(1) }));
const path = apiPath('webhook-configs');

/**
 * Subscribes a URL to callbacks, in place of any other: the ramp stores one for each partner.
 *
 * @throws UpstreamError
 */
export async function subscribe({ http }: SecondaryRampApi, url: string, signal: AbortSignal): Promise<void> {
  // Disabled by default.
  const config = { url, subscriptions: EVENTS, enabled: true };
  try {
    await http.post(path, config, signal);
  } catch (error) {
    if (!isAlreadySubscribed(error)) throw error;
    const [existing] = readResponse(configs, listOf(await http.get(path, { limit: 1 }, signal)));
    if (existing === undefined) throw unreadable('it has a webhook, but its list of webhooks is empty', error);
    await http.call({ method: 'PUT', path: apiPath('webhook-configs', existing.id), body: config, signal });
  }
}

const isAlreadySubscribed = (error: unknown): boolean =>
  error instanceof UpstreamError && error.status === 422 && refusalText(error).includes('already_exists');
