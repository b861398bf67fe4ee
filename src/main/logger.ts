import { type Logger, pino } from 'pino';
import type { Config } from '../config/config';
import { errorRecord } from './error-record';
import { redactFields, redactLine } from './log-redaction';
import { readableLog } from './readable-log';

export interface LoggerOptions {
  readonly out?: NodeJS.WriteStream;
  /** Fields of every line, such as the id of the present trace. */
  readonly fields?: (() => object) | undefined;
}

/**
 * The log of the process: readable lines on a terminal, else one JSON object a line. Credentials, personal data and bodies are
 * removed from every line, by the names of properties and by the form of values.
 */
export function createLogger(level: Config['LOG_LEVEL'], { out, fields }: LoggerOptions = {}): Logger {
  const options = {
    level,
    base: { service: 'afluente' },
    formatters: { log: redactFields, bindings: redactFields },
    serializers: { err: errorRecord },
    hooks: { streamWrite: redactLine },
    ...(fields === undefined ? {} : { mixin: fields }),
  };
  // Without a destination pino writes to the standard output at once, so that no line is lost when the process ends.
  const stream = out ?? (process.stdout.isTTY ? process.stdout : undefined);
  if (stream === undefined) return pino(options);
  return pino(options, stream.isTTY ? readableLog(stream) : stream);
}
