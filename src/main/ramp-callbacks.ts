import type { RampCallbackIntake } from '../../gateway/http/gateway-dependencies';
import { type RampCallbackSubject, receiveRampCallback } from '../actions/receive-ramp-callback';
import { describeFailure } from '../errors/describe-failure';
import { areEqualSecrets } from '../auth/credentials/equal-secrets';
import { anySignal } from '../async/any-signal';
import { isLoopbackHost } from '../http/public-address';
import { pollVerification } from '../kyc/poll-verification';
import { runForService } from '../persistence/customer-scope';
import type { PrimaryRampCallback } from '../ramps/providers/primary/callbacks';
import { readCallback } from '../ramps/providers/secondary/callback';
import type { RampId } from '../ramps/ramp-provider';
import { identityDeps } from './identity-deps';
import type { Infrastructure } from './infrastructure';
import { retry } from '../async/retry';

/** Subscribes to the callbacks of the ramps and processes them. */
export interface RampCallbacks extends RampCallbackIntake {
  /** Subscribes at the ramps in the background, with URLs below `baseUrl`. Without callbacks tickets are polled. */
  subscribe(baseUrl: string): void;
  stop(): Promise<void>;
}

/** Delays between attempts to subscribe. The next start of the service subscribes again. */
const RETRY_DELAYS_MS = [5000, 30_000, 120_000, 600_000];
const SUBSCRIBE_TIMEOUT_MS = 10_000;

export function openRampCallbacks(infrastructure: Infrastructure): RampCallbacks {
  const { config, log, ramps } = infrastructure;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const inBackground = (work: Promise<void>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  const receive = (subject: RampCallbackSubject): Promise<void> =>
    runForService('rampCallbacks', async () => {
      const staleAccounts = await receiveRampCallback(infrastructure, subject);
      // In the background: the ramp waits for the response to its callback.
      for (const row of staleAccounts) inBackground(pollInBackground(infrastructure, row, stopping.signal));
    });
  const secret = config.SECONDARY_RAMP_CALLBACK_SECRET;
  return {
    async receivePrimaryCallback({ headers, rawBody }) {
      const callback = await ramps.callbacks.verifyCallback({ headers, rawBody, now: Date.now() });
      if (callback === undefined) return false;
      await receive(primarySubject(callback));
      return true;
    },
    isSecret: (candidate) => secret !== undefined && areEqualSecrets(candidate, secret),
    async receiveSecondaryCallback(rawBody) {
      const subject = secondarySubject(rawBody);
      if (subject === undefined) log.warn({ ramp: 'secondary' }, 'a callback could not be read');
      else await receive(subject);
    },
    subscribe(baseUrl) {
      const base = `${baseUrl.replace(/\/$/, '')}/callbacks`;
      const urls = {
        primary: `${base}/primary-ramp`,
        secondary: secret === undefined ? undefined : `${base}/secondary-ramp/${secret}`,
      };
      for (const [ramp, { baseUrl: from, subscribe }] of ramps.subscriptions) {
        const url = urls[ramp];
        if (url === undefined || !isReachable(url, from)) log.warn({ ramp }, NOT_CALLED);
        else
          inBackground(
            subscribeWithRetries((signal) => subscribe(url, signal), { ramp, log, stopping: stopping.signal }),
          );
      }
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

const NOT_CALLED = 'a ramp sends no callbacks and is polled: PUBLIC_URL or SECONDARY_RAMP_CALLBACK_SECRET is not set';

/** False for a loopback URL at a remote ramp, which could not use it and would lose an earlier working URL. */
const isReachable = (url: string, from: string): boolean => !isLoopback(url) || isLoopback(from);

const isLoopback = (url: string): boolean => isLoopbackHost(new URL(url).hostname);

function primarySubject({ kind, id, externalId, accountId, eventId }: PrimaryRampCallback): RampCallbackSubject {
  const event = { ramp: 'primary', eventId } as const;
  if (kind === 'ticket') return { ...event, about: 'ticket', ticketId: id, externalId };
  return kind === 'kyc' ? { ...event, about: 'verification', accountId, attemptId: id } : { ...event, about: 'other' };
}

function secondarySubject(rawBody: Buffer): RampCallbackSubject | undefined {
  const callback = readCallback(parsedJson(rawBody));
  if (callback === undefined) return undefined;
  const { eventId, transactionId, customerId } = callback;
  const event = { ramp: 'secondary', eventId } as const;
  if (transactionId !== undefined) {
    return { ...event, about: 'ticket', ticketId: transactionId, externalId: undefined };
  }
  return { ...event, about: 'verification', accountId: customerId, attemptId: undefined };
}

function parsedJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

type AccountRow = Parameters<typeof pollVerification>[1];

/** Polls a verification. After a failure the next read of its status polls again. */
async function pollInBackground(infrastructure: Infrastructure, row: AccountRow, signal: AbortSignal): Promise<void> {
  try {
    await pollVerification(identityDeps(infrastructure), row, signal);
  } catch (error) {
    infrastructure.log.warn(
      { ramp: row.provider, cause: describeFailure(error) },
      'a verification could not be refreshed',
    );
  }
}

interface Subscription extends Pick<Infrastructure, 'log'> {
  readonly ramp: RampId;
  readonly stopping: AbortSignal;
}

/** The response of the ramp is not logged: it may contain the callback URL, which is secret for one ramp. */
async function subscribeWithRetries(
  subscribe: (signal: AbortSignal) => Promise<void>,
  { ramp, log, stopping }: Subscription,
): Promise<void> {
  const attempt = () => subscribe(anySignal(stopping, AbortSignal.timeout(SUBSCRIBE_TIMEOUT_MS)));
  const isRetryable = (error: unknown, nextInMs: number | undefined): boolean => {
    const retryInMs = nextInMs ?? 'at the next start';
    log.warn({ ramp, retryInMs, cause: describeFailure(error) }, 'subscribing to the callbacks of a ramp failed');
    return true;
  };
  try {
    await retry(attempt, { delaysMs: RETRY_DELAYS_MS, isRetryable, signal: stopping });
    log.info({ ramp }, 'subscribed to the callbacks of a ramp');
  } catch {
    // Logged above. Without callbacks the ramp is polled.
  }
}
