import { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';
import { apiPath, type SecondaryRampApi } from './ramp-api';
import { listOf, readResponse, refusalText, unreadable } from './wire';

/** Those that its guides show. What has no event of its own is found by asking. */
const EVENTS = ['payin.created', 'payin.processing', 'payin.completed', 'payout.completed', 'payout.failed'];

const configs = z.array(z.object({ id: z.string().min(1) }));
const path = apiPath('webhook-configs');

/**
 * Has the ramp call this URL back, and no other: it keeps one for a partner.
 *
 * @throws UpstreamError
 */
export async function subscribe({ http }: SecondaryRampApi, url: string, signal: AbortSignal): Promise<void> {
  // Off, unless it is said otherwise.
  const config = { url, subscriptions: EVENTS, enabled: true };
  try {
    await http.post(path, config, signal);
  } catch (error) {
    if (!isTaken(error)) throw error;
    const [known] = readResponse(configs, listOf(await http.get(path, { limit: 1 }, signal)));
    if (known === undefined) throw unreadable('it has a webhook, but its list of webhooks is empty', error);
    await http.call({ method: 'PUT', path: apiPath('webhook-configs', known.id), body: config, signal });
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof UpstreamError && error.status === 422 && refusalText(error).includes('already_exists');
