import { ConfigError, loadConfig } from '../../src/config/config';

/** The variables that every deployment sets. */
export const required = { DATABASE_URL: 'postgresql://db.example/afluente', API_KEY_PEPPER: 'ab'.repeat(32) };

/** The problems of a configuration with these variables; none when it is accepted. */
export function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
