import { z } from 'zod';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const DURATION = /^(\d{1,8})([smhd])$/;
/** What is said of something that has to be given and is not. */
export const MISSING = 'is missing';

export const text = z.string({ error: MISSING }).trim().min(1, 'must not be blank');

/** `90d`, `24h`, `30m`, `10s` → seconds. */
export const duration = z.string().transform((given, context) => {
  const [, count, unit] = DURATION.exec(given) ?? [];
  if (count !== undefined) return Number.parseInt(count, 10) * SECONDS[unit as keyof typeof SECONDS];
  context.addIssue({ code: 'custom', message: 'must be a duration such as 90d, 24h, 30m or 10s' });
  return z.NEVER;
});

/** `90d` → the moment in 90 days. */
export const expiry = duration.transform((seconds) => new Date(Date.now() + seconds * 1000));

export const integer = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be a whole number from 1')
  .transform((digits) => Number.parseInt(digits, 10));

/** A number of requests; `default` → `null`, the limit of the deployment. */
export const rateLimit = z
  .string()
  .regex(/^(?:default|[1-9]\d{0,8})$/, 'must be a whole number from 1, or "default"')
  .transform((given) => (given === 'default' ? null : Number.parseInt(given, 10)));

/** The id of a key, given as such, as the key's beginning or as the whole key. */
export const keyId = z.string({ error: MISSING }).transform((given, context) => {
  const [, id] = /^(?:sk_live_)?([0-9A-Za-z]{16})(?:_\w*)?$/.exec(given) ?? [];
  if (id !== undefined) return id;
  context.addIssue({ code: 'custom', message: 'is not the id of a key' });
  return z.NEVER;
});
