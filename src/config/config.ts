import { type z } from 'zod';
import { environmentSchema } from './environment-schema';
import { type ConfiguredChains, loadChains } from './load-chains';

/** Everything that a deployment can choose, parsed once at boot and passed down. */
export type Config = Readonly<z.infer<typeof environmentSchema>> & { readonly chains: ConfiguredChains };

/** The configuration cannot be used; `problems` lists everything that is wrong with it, one line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/** @throws ConfigError with every problem of the environment and of the files that it names. */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  // An empty variable means "not set": that is how compose files and shells write it.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environmentSchema.safeParse(given);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  problems.push(...identityProviderProblems(given));
  const chains = loadChains(given, problems);
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return { ...parsed.data, chains };
}

/** Access tokens of just any issuer, or for just any audience, must never do. */
function identityProviderProblems(given: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (given['JWKS_URL'] === undefined) return [];
  return ['JWT_ISSUER', 'JWT_AUDIENCE'].flatMap((name) =>
    given[name] === undefined ? [`${name}: is required with JWKS_URL`] : [],
  );
}
