import { z } from 'zod';
import { UPLOAD_MEGABYTES } from '../config/upload-bounds';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const DURATION = /^(\d{1,8})([smhd])$/;
/** Message for a required input that is missing. */
export const MISSING = 'is required';

export const requiredText = z.string({ error: MISSING }).trim().min(1, 'must not be blank');

/** Parses `90d`, `24h`, `30m` or `10s` into seconds. */
export const duration = z.string().transform((given, context) => {
  const [, count, unit] = DURATION.exec(given) ?? [];
  if (count !== undefined) return Number.parseInt(count, 10) * SECONDS[unit as keyof typeof SECONDS];
  context.addIssue({ code: 'custom', message: 'must be a duration such as 90d, 24h, 30m or 10s' });
  return z.NEVER;
});

/** Parses `90d` into the time in 90 days. */
export const expiry = duration.transform((seconds) => new Date(Date.now() + seconds * 1000));

export const integer = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be an integer from 1')
  .transform((digits) => Number.parseInt(digits, 10));

/** Parses a number of requests. `default` becomes `null`, the limit of the deployment. */
export const rateLimit = z
  .string()
  .regex(/^(?:default|[1-9]\d{0,8})$/, 'must be an integer from 1, or "default"')
  .transform((given) => (given === 'default' ? null : Number.parseInt(given, 10)));

/** Like a number of requests, within the bounds of what a process can hold in memory. */
export const uploadMegabytes = rateLimit.refine(
  (megabytes) => megabytes === null || (megabytes >= UPLOAD_MEGABYTES.min && megabytes <= UPLOAD_MEGABYTES.max),
  `must be from ${UPLOAD_MEGABYTES.min} to ${UPLOAD_MEGABYTES.max}, or "default"`,
);

/** Parses the id of a key, the beginning of a key, or a whole key into its id. */
export const keyId = z.string({ error: MISSING }).transform((given, context) => {
  const [, id] = /^(?:sk_live_)?([0-9A-Za-z]{16})(?:_\w*)?$/.exec(given) ?? [];
  if (id !== undefined) return id;
  context.addIssue({ code: 'custom', message: 'is not the id of a key' });
  return z.NEVER;
});
