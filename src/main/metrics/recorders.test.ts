import type { RateLimiter } from '../../auth/rate-limit/rate-limiter';
import type { CustomerId } from '../../auth/principal';
import { createPrometheusMetrics, type PrometheusMetrics } from '../../telemetry/metrics/prometheus';
import type { AttemptResult } from '../../webhooks/send-webhook';
import { countedRefusals, countedWebhooks, jobRecorder } from './recorders';

let metrics: PrometheusMetrics;
beforeEach(() => {
  metrics = createPrometheusMetrics({ log: { warn: () => undefined } });
});

const window = { name: 'hour', limit: 1, remaining: 0, resetSeconds: 9 } as const;
const decision = { windows: [window], refund: () => Promise.resolve() };
const refusing: RateLimiter = {
  consume: (_subject, cost) =>
    Promise.resolve(
      cost > 1
        ? { ...decision, allowed: false, retryAfter: 9, exceeded: window }
        : { ...decision, allowed: true, retryAfter: undefined, exceeded: undefined },
    ),
};
const CUSTOMER = '01890a5d-ac96-774b-bcce-b302099a8057' as CustomerId;

test('requests above a rate limit are counted by kind of subject and window, without the caller', async () => {
  const limiter = countedRefusals(metrics, refusing);
  await limiter.consume({ kind: 'caller', callerId: 'key-1', customerId: CUSTOMER }, 2);
  await limiter.consume({ kind: 'address', address: '203.0.113.9' }, 2);
  const allowed = await limiter.consume({ kind: 'address', address: '203.0.113.9' }, 1);
  expect(allowed.allowed).toBe(true);
  const text = await metrics.render();
  expect(text).toContain('afluente_rate_limit_refusals_total{subject="caller",window="hour"} 1');
  expect(text).toContain('afluente_rate_limit_refusals_total{subject="address",window="hour"} 1');
  for (const canary of ['key-1', CUSTOMER, '203.0.113.9']) expect(text).not.toContain(canary);
});

test('runs of jobs are measured by outcome', async () => {
  const { onRun } = jobRecorder(metrics);
  onRun?.('purgeExpired', { failed: false, seconds: 0.1 });
  onRun?.('expireActions', { failed: true, seconds: 3 });
  const text = await metrics.render();
  expect(text).toContain('afluente_job_duration_seconds_count{task="purgeExpired",outcome="ok"} 1');
  expect(text).toContain('afluente_job_duration_seconds_sum{task="expireActions",outcome="failed"} 3');
});

test('attempts of webhooks are counted by outcome; one that was interrupted is not', async () => {
  const accepted = { failure: undefined } as AttemptResult;
  const results = [accepted, { ...accepted, failure: 'TIMEOUT' as const }, undefined];
  const send = countedWebhooks(metrics, () => Promise.resolve(results.shift()));
  const message = { id: 'e', url: 'https://hooks.example.com/canary', body: '{}', secrets: [], timestamp: 1 };
  for (let attempt = 0; attempt < 3; attempt += 1) await send(message, new AbortController().signal);
  const text = await metrics.render();
  expect(text).toContain('afluente_webhook_attempts_total{outcome="delivered"} 1');
  expect(text).toContain('afluente_webhook_attempts_total{outcome="failed"} 1');
  expect(text).not.toContain('canary');
});

test("without metrics each part is the service's own", () => {
  expect(countedRefusals(undefined, refusing)).toBe(refusing);
  expect(jobRecorder(undefined)).toEqual({});
});
