import { z } from 'zod';
import { UpstreamError } from '../../../http/upstream-error';
import { pathOf, type SecondaryRampApi } from './ramp-api';
import { listOf, readAnswer, saidBy, unreadable } from './wire';

/** Those that its guides show. What has no event of its own is found by asking. */
const EVENTS = ['payin.created', 'payin.processing', 'payin.completed', 'payout.completed', 'payout.failed'];

const configs = z.array(z.object({ id: z.string().min(1) }));
const path = pathOf('webhook-configs');

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
    const [known] = readAnswer(configs, listOf(await http.get(path, { limit: 1 }, signal)));
    if (known === undefined) throw unreadable('it has a webhook, and lists none', error);
    await http.call({ method: 'PUT', path: pathOf('webhook-configs', known.id), body: config, signal });
  }
}

const isTaken = (error: unknown): boolean =>
  error instanceof UpstreamError && error.status === 422 && saidBy(error).includes('already_exists');
