import { type Logger, pino } from 'pino';
import type { Config } from '../config/config';

/** Property names of credentials, which are redacted at the first levels of logged objects. */
const SECRETS = ['apiKey', 'authorization', 'x-api-key', 'password', 'secret', 'token'];

export const createLogger = (level: Config['LOG_LEVEL']): Logger =>
  pino({
    level,
    base: { service: 'afluente' },
    redact: {
      paths: SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: '[redacted]',
    },
  });
