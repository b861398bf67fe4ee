import { type Logger, pino } from 'pino';
import type { Config } from '../config/config';

/** Names under which a credential could travel, at any of the first levels of what is logged. */
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
