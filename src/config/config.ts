import { type z } from 'zod';
import { describeIssue } from './describe-issue';
import { environmentSchema } from './environment-schema';
import { indexedChainProblems } from './indexed-chains';
import { type ConfiguredChains, loadChains } from './load-chains';
import { loadStrategies } from './load-strategies';
import { relatedSettingProblems } from './related-settings';
import type { ConfiguredStrategy } from './strategy-schema';
import { unknownVariables } from './unknown-variables';

/** The configuration of a deployment, parsed once at boot. */
export type Config = Readonly<z.infer<typeof environmentSchema>> & {
  readonly chains: ConfiguredChains;
  /** The strategies of `STRATEGIES_FILE`. */
  readonly strategies: readonly ConfiguredStrategy[];
  /** Sentences for the operator about variables that have no effect, and about protection that is off. */
  readonly warnings: readonly string[];
};

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
  const parsed = environmentSchema.safeParse(given, { error: describeIssue });
  const problems = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  problems.push(...relatedSettingProblems(given));
  const chains = loadChains(given, problems);
  const strategies = loadStrategies(given['STRATEGIES_FILE'], chains.table, problems);
  if (parsed.success) problems.push(...indexedChainProblems(parsed.data.INDEX_WALLETS, chains.table));
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  const warnings = [...unknownVariables(Object.keys(given)), ...securityWarnings(parsed.data)];
  return { ...parsed.data, chains, strategies, warnings };
}

const securityWarnings = ({ DATABASE_ROW_LEVEL_SECURITY: security }: z.infer<typeof environmentSchema>) =>
  security === 'off'
    ? ['DATABASE_ROW_LEVEL_SECURITY is off: only the conditions of queries keep the rows of customers apart.']
    : [];

/** Values of the settings that the embedded mode generates. */
const EMBEDDED_EXAMPLES = { DATABASE_URL: 'postgres://127.0.0.1/embedded', API_KEY_PEPPER: '0'.repeat(64) };

/**
 * Checks the environment of the embedded mode before anything starts. Its chains are checked later: they are started first.
 *
 * @throws ConfigError
 */
export function checkEmbeddedEnvironment(environment: NodeJS.ProcessEnv): void {
  const given = Object.entries(environment).filter(([name]) => !ofChains(name));
  const { ROLE: role } = loadConfig({ ...EMBEDDED_EXAMPLES, ...withoutEmpty(given) });
  if (role !== 'all') throw new ConfigError([`DATABASE_URL: is required with ROLE=${role}`]);
}

const ofChains = (name: string): boolean => name.startsWith('RPC_URL_') || name === 'STRATEGY_ROUTER_CHAINS';

const withoutEmpty = (entries: readonly (readonly [string, string | undefined])[]): NodeJS.ProcessEnv =>
  Object.fromEntries(entries.filter(([, value]) => value !== ''));
