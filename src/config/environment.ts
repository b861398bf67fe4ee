import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from './config';
import { PROJECT_ROOT } from './project-root';

const DEFAULT_FILE = '.env';

/** Receives a sentence for the operator. */
type Warn = (sentence: string) => void;
const ignoreWarning: Warn = () => undefined;

/**
 * The settings of a deployment: the environment of the process, and the file of AFLUENTE_ENV_FILE, which the service and its
 * commands share: `.env` in the project's folder unless it is set, none when it is empty. No other function reads them.
 *
 * @throws ConfigError as `withSettingsFile`
 */
export const readEnvironment = (warn?: Warn): NodeJS.ProcessEnv =>
  withSettingsFile(process.env, process.env['AFLUENTE_ENV_FILE'] ?? DEFAULT_FILE, warn);

/**
 * The environment of the process without the settings of a deployment, for benchmarks and other processes that belong to none:
 * those that they start with it read no file either.
 */
export const environmentWithoutFile = (): NodeJS.ProcessEnv => ({ ...process.env, AFLUENTE_ENV_FILE: '' });

/**
 * Adds the variables of a file; a relative path starts at the project's folder, and an empty one reads none. Variables of the
 * process take precedence, also when they are empty. Without DATABASE_URL in either the file has no effect: the embedded mode
 * has secrets of its own.
 *
 * @throws ConfigError when the file cannot be read and the process has no DATABASE_URL
 */
export function withSettingsFile(
  environment: NodeJS.ProcessEnv,
  file: string,
  warn: Warn = ignoreWarning,
): NodeJS.ProcessEnv {
  const found = readSettingsFile(environment, file, warn);
  if (found === undefined) return environment;
  const completed = { ...found, ...environment };
  if (hasDatabase(completed)) return completed;
  if (!hasDatabase(found)) warn(`The file ${file} has no DATABASE_URL and is ignored: the embedded mode starts.`);
  return environment;
}

const hasDatabase = ({ DATABASE_URL = '' }: NodeJS.Dict<string>): boolean => DATABASE_URL !== '';

/** The default file may be absent. A process with DATABASE_URL needs none. */
function readSettingsFile(environment: NodeJS.ProcessEnv, file: string, warn: Warn): NodeJS.Dict<string> | undefined {
  const location = path.resolve(PROJECT_ROOT, file);
  const isNamed = environment['AFLUENTE_ENV_FILE'] !== undefined;
  if (file === '' || (!isNamed && !existsSync(location))) return undefined;
  try {
    return parseEnv(readFileSync(location, 'utf8'));
  } catch (error) {
    const problem = `The file ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    if (!hasDatabase(environment)) {
      throw new ConfigError([`${problem}. Make it readable, or set DATABASE_URL in the environment.`]);
    }
    warn(`${problem}. It is ignored, because DATABASE_URL is set in the environment.`);
    return undefined;
  }
}

/** Folder of the embedded mode's database, chains and credentials: AFLUENTE_DATA_DIR, else `.local` of the project. */
export function dataDirectory(environment: NodeJS.ProcessEnv): string {
  const configured = environment['AFLUENTE_DATA_DIR'];
  return path.resolve(PROJECT_ROOT, configured === undefined || configured === '' ? '.local' : configured);
}
