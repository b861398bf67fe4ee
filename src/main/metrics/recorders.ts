import type { RateLimiter } from '../../auth/rate-limit/rate-limiter';
import type { Metrics } from '../../telemetry/metrics/metrics';
import type { JobWorkerDeps } from '../../jobs/start-job-worker';
import type { LookupFailure, OnUncheckedPixKey } from '../../ramps/unchecked-pix-key';
import type { GuardedOutcome, ProviderGuardOptions } from '../../venues/provider-guards';
import type { ProviderQuote, QuoteRequest } from '../../venues/quote-provider';
import type { ProviderResult, QuoteRequesterDeps } from '../../venues/request-provider-quote';
import type { SendWebhook } from '../../webhooks/send-webhook';

/** Each function returns a part of the service that also records what it does, or the part itself without metrics. */
type MaybeMetrics = Metrics | undefined;

export const countedRefusals = (metrics: MaybeMetrics, limiter: RateLimiter): RateLimiter =>
  metrics === undefined
    ? limiter
    : {
        async consume(subject, cost) {
          const decision = await limiter.consume(subject, cost);
          if (decision.exceeded !== undefined) {
            metrics.count('rateLimited', { subject: subject.kind, window: decision.exceeded.name });
          }
          return decision;
        },
      };

const CALL_OUTCOMES: Readonly<Record<GuardedOutcome, string>> = {
  ok: 'ok',
  rejected: 'rejected',
  outage: 'outage',
  notCalled: 'not_called',
  abandoned: 'abandoned',
};

export const guardOptions = (metrics: MaybeMetrics): ProviderGuardOptions =>
  metrics === undefined
    ? {}
    : {
        onCall: (provider, outcome) => metrics.count('providerCalls', { provider, outcome: CALL_OUTCOMES[outcome] }),
      };

const QUOTE_OUTCOMES: Readonly<Record<ProviderResult['outcome'], string>> = {
  quote: 'offered',
  noRoute: 'no_route',
  failed: 'failed',
};

/** Records the results of quote requests. */
export const quoteRecorder = (metrics: MaybeMetrics): Pick<QuoteRequesterDeps, 'onResult'> =>
  metrics === undefined
    ? {}
    : {
        onResult({ origin: { slug: chain } }, { provider, outcome }, seconds) {
          metrics.count('providerQuotes', { provider, chain, outcome: QUOTE_OUTCOMES[outcome] });
          metrics.observe('providerQuoteDuration', { provider, chain }, seconds);
        },
      };

/** Records the provider of each best offer. */
export const winnerRecorder = (
  metrics: MaybeMetrics,
): { readonly onBestOffer?: (request: QuoteRequest, offer: ProviderQuote) => void } =>
  metrics === undefined
    ? {}
    : { onBestOffer: ({ origin }, { provider }) => metrics.count('quotesWon', { provider, chain: origin.slug }) };

const FAILURE_REASONS: Readonly<Record<LookupFailure, string>> = {
  serverError: 'server_error',
  unavailable: 'unavailable',
};

/** Records the Pix keys that are accepted although their lookup failed. */
export const pixKeyRecorder = (metrics: MaybeMetrics): { readonly onUncheckedPixKey?: OnUncheckedPixKey } =>
  metrics === undefined
    ? {}
    : {
        onUncheckedPixKey: ({ ramp: provider, step, failure }) =>
          metrics.count('uncheckedPixKeys', { provider, step, reason: FAILURE_REASONS[failure] }),
      };

/** Records the runs of background jobs. */
export const jobRecorder = (metrics: MaybeMetrics): Pick<JobWorkerDeps, 'onRun'> =>
  metrics === undefined
    ? {}
    : {
        onRun: (task, { failed, seconds }) =>
          metrics.observe('jobRuns', { task, outcome: failed ? 'failed' : 'ok' }, seconds),
      };

export const countedWebhooks = (metrics: MaybeMetrics, send: SendWebhook): SendWebhook =>
  metrics === undefined
    ? send
    : async (message, signal) => {
        const result = await send(message, signal);
        if (result !== undefined) {
          metrics.count('webhookAttempts', { outcome: result.failure === undefined ? 'delivered' : 'failed' });
        }
        return result;
      };
