import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type Config, ConfigError, loadConfig } from '../config/config';
import { dataDirectory } from '../config/environment';
import type { RetentionSettings } from '../persistence/retention/retention-rules';
import { AdminProblem } from './admin-problem';

type Settings = Pick<Config, 'DATABASE_URL' | 'API_KEY_PEPPER' | 'PERSONAL_DATA_KEYS' | 'BLIND_INDEX_KEY'> &
  RetentionSettings;

/** The deployment that a command administers. */
export interface Deployment extends Settings {
  /** True for the embedded one of the data directory. */
  readonly isEmbedded: boolean;
}

/** The variables that commands need. Problems of all others do not matter here. */
const NAMES = [
  'DATABASE_URL',
  'API_KEY_PEPPER',
  'PERSONAL_DATA_KEYS',
  'BLIND_INDEX_KEY',
  'QUOTE_RETENTION_DAYS',
  'ACTION_DETAIL_RETENTION_DAYS',
  'RAMP_CALLBACK_RETENTION_DAYS',
  'RAMP_TICKET_RETENTION_DAYS',
  'AUDIT_RETENTION_DAYS',
] as const satisfies readonly (keyof Settings)[];

const environmentFile = z.record(z.string(), z.string());

/**
 * Returns the deployment to administer: the one of `DATABASE_URL`, or the embedded one of the data directory.
 *
 * @throws AdminProblem when neither exists, or when its configuration is invalid.
 */
export function findDeployment(environment: NodeJS.ProcessEnv): Deployment {
  const isConfigured = (environment['DATABASE_URL'] ?? '') !== '';
  const found = isConfigured ? environment : embeddedEnvironment(environment);
  try {
    const settings = loadConfig(Object.fromEntries(NAMES.map((name) => [name, found[name]])));
    return { ...settings, isEmbedded: !isConfigured };
  } catch (error) {
    if (error instanceof ConfigError) throw new AdminProblem(error.problems, 'failure');
    throw error;
  }
}

function embeddedEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const file = path.join(dataDirectory(environment), 'environment.json');
  const problem = (reason: string): AdminProblem =>
    new AdminProblem(
      [
        `DATABASE_URL is not set, and ${reason}. Start the service with npm start, or set DATABASE_URL and ` +
          'API_KEY_PEPPER, in the environment or in the file .env.',
      ],
      'failure',
    );
  if (!existsSync(file)) throw problem(`no embedded service has written ${file}`);
  try {
    return environmentFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw problem(`${file} holds no environment`);
  }
}
