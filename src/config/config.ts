import { type z } from 'zod';
import { environmentSchema } from './environment-schema';
import { type ConfiguredChains, loadChains } from './load-chains';

/** The configuration of a deployment, parsed once at boot. */
export type Config = Readonly<z.infer<typeof environmentSchema>> & { readonly chains: ConfiguredChains };

/** The configuration is invalid; `problems` has one line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is invalid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

/** Former names of variables, accepted for one release: former name → current name. */
const RENAMED_VARIABLES: Readonly<Record<string, string>> = { COMPLETION_LEAST_USD: 'COMPLETION_MIN_USD' };

/** The variables under their current names. The current name wins where both are set. An empty variable counts as unset. */
function currentNames(environment: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const set = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  );
  const renamed = set.map(([name, value]) => [RENAMED_VARIABLES[name] ?? name, value] as const);
  return { ...Object.fromEntries(renamed), ...Object.fromEntries(set) };
}

/** @throws ConfigError with every problem of the environment and of the files that it names. */
export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  const given = currentNames(environment);
  const parsed = environmentSchema.safeParse(given);
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  problems.push(...identityProviderProblems(given));
  const chains = loadChains(given, problems);
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return { ...parsed.data, chains };
}

/** Issuer and audience are required, since access tokens of any other issuer or audience must be rejected. */
function identityProviderProblems(given: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (given['JWKS_URL'] === undefined) return [];
  return ['JWT_ISSUER', 'JWT_AUDIENCE'].flatMap((name) =>
    given[name] === undefined ? [`${name}: is required with JWKS_URL`] : [],
  );
}
