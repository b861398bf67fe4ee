import { type Logger, pino } from 'pino';
import type { Config } from '../config/config';
import { readableLog } from './readable-log';

/** Property names of credentials, which are redacted at the first levels of logged objects. */
const SECRETS = ['apiKey', 'authorization', 'x-api-key', 'password', 'secret', 'token'];

/** The log of the process: readable lines on a terminal, else one JSON object a line. */
export function createLogger(level: Config['LOG_LEVEL'], out: NodeJS.WriteStream = process.stdout): Logger {
  const options = {
    level,
    base: { service: 'afluente' },
    redact: {
      paths: SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: '[redacted]',
    },
  };
  return out.isTTY ? pino(options, readableLog(out)) : pino(options);
}
