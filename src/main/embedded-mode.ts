import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { keepEmbeddedPostgres } from '../persistence/embedded/keep-embedded-postgres';
import { claimDataDirectory } from './data-directory-claim';
import { readJsonIfPresent, writePrivateJson } from './private-files';
import { startUniverseProcess, type UniverseProcess } from './devnet-process';
import { StartupError } from './startup-error';

const secretsSchema = z.object({
  API_KEY_PEPPER: z.string(),
  INTERNAL_SECRET: z.string(),
  PERSONAL_DATA_KEYS: z.string(),
  BLIND_INDEX_KEY: z.string(),
  SECONDARY_RAMP_CALLBACK_SECRET: z.string(),
  ORDER_WALLET_SECRET: z.string(),
});

/** Local replacements for what a deployment configures: a database, chains and an identity provider. */
export interface EmbeddedMode {
  readonly directory: string;
  /** The given environment, completed with the URLs and keys of the local parts. */
  readonly environment: NodeJS.ProcessEnv;
  readonly universe: UniverseProcess;
  /** Resolves with a sentence for the operator when a part has ended and does not run again; pending otherwise. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Development packages of the embedded mode: the database, the EVM chains, Solana. */
const PACKAGES = ['embedded-postgres', '@foundry-rs/anvil', 'litesvm'];

/** Fails before anything is started. @throws StartupError in an install without the development packages */
export function assertEmbeddedPackages(isPresent: (name: string) => boolean = isInstalled): void {
  const missing = PACKAGES.filter((name) => !isPresent(name));
  if (missing.length === 0) return;
  throw new StartupError(
    `The embedded mode requires development packages that are not installed: ${missing.join(', ')}. ` +
      'Run "npm ci", or set DATABASE_URL to run the service against your own database and chains.',
  );
}

const isInstalled = (name: string): boolean =>
  (createRequire(__filename).resolve.paths(name) ?? []).some((folder) =>
    existsSync(path.join(folder, name, 'package.json')),
  );

/** Starts a database, local chains and emulators that keep their state in `directory`. @throws StartupError */
export async function startEmbeddedMode(directory: string, environment: NodeJS.ProcessEnv): Promise<EmbeddedMode> {
  mkdirSync(directory, { recursive: true });
  const release = claimDataDirectory(directory);
  const [database, universe] = await Promise.all([
    keepEmbeddedPostgres({ dataDirectory: path.join(directory, 'postgres'), log: console.error }),
    startUniverseProcess(directory),
  ]);
  const chainsFile = path.join(directory, 'chains.json');
  writePrivateJson(chainsFile, universe.description.chains);
  const strategiesFile = path.join(directory, 'strategies.json');
  writePrivateJson(strategiesFile, universe.description.strategies);
  const { identityProvider, emulators, keys } = universe.description;
  const completed = {
    ...embeddedSecrets(directory),
    DATABASE_URL: database.url,
    CHAINS_FILE: chainsFile,
    STRATEGIES_FILE: strategiesFile,
    JWKS_URL: identityProvider.jwksUrl,
    JWT_ISSUER: identityProvider.issuer,
    JWT_AUDIENCE: identityProvider.audience,
    ...thirdParties(emulators),
    ...keys,
    // Developers run webhook receivers on this machine.
    ALLOW_LOOPBACK_URLS: 'true',
    // The local coin costs nothing.
    DEPLOY_SMART_ACCOUNTS: 'true',
    DEPLOYMENT_MAX_USD: '100',
    MAX_DEPLOYMENT_GAS_USD_PER_DAY: '100000',
    ORDER_GAS_MAX_USD: '100',
    COLLECTION_GAS_MAX_USD: '100',
    MAX_COMPLETION_GAS_USD_PER_DAY: '100000',
    EXAMPLE_WALLET: universe.description.accounts[0]?.address,
    // No load balancer stands in front.
    SHUTDOWN_DRAIN_MS: '0',
  };
  writePrivateJson(path.join(directory, 'environment.json'), completed);
  return {
    directory,
    environment: { ...completed, ...withoutEmpty(environment) },
    universe,
    failed: Promise.race([universe.failed, database.failed.then(({ message }) => message)]),
    async stop() {
      await Promise.all([universe.stop(), database.stop()]);
      release();
    },
  };
}

/** Emulators of the third parties on this machine; they accept any key. */
function thirdParties(urls: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const key = 'embedded';
  return {
    ACROSS_API_URL: urls['across'],
    ACROSS_API_KEY: key,
    PRIMARY_RAMP_URL: urls['primaryRamp'],
    SECONDARY_RAMP_URL: urls['secondaryRamp'],
    CCTP_API_URL: urls['attestation'],
    LIFI_API_URL: urls['lifi'],
    LIFI_API_KEY: key,
    ZEROEX_API_URL: urls['zeroEx'],
    ZEROEX_API_KEY: key,
    JUPITER_API_URL: urls['jupiter'],
    JUPITER_API_KEY: key,
    RELAY_API_URL: urls['relay'],
    RELAY_API_KEY: key,
    DEFILLAMA_API_URL: urls['defillama'],
    COINGECKO_API_URL: urls['coingecko'],
    COINGECKO_API_KEY: key,
    PYTH_API_URL: urls['pyth'],
    PYTH_API_KEY: key,
    PTAX_API_URL: urls['ptax'],
    TOKENIZED_STOCK_API_URL: urls['tokenizedStock'],
    TOKENIZED_STOCK_API_KEY: key,
    COW_API_URL: urls['tokenizedStock'],
  };
}

const withoutEmpty = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));

/** Secrets that are generated once and stored: API keys and personal data stay valid across restarts. */
function embeddedSecrets(directory: string): z.infer<typeof secretsSchema> {
  const file = path.join(directory, 'secrets.json');
  const kept = secretsSchema.partial().safeParse(readJsonIfPresent(file)).data ?? {};
  const secret = (): string => randomBytes(32).toString('hex');
  const made = {
    API_KEY_PEPPER: secret(),
    INTERNAL_SECRET: secret(),
    PERSONAL_DATA_KEYS: `1:${secret()}`,
    BLIND_INDEX_KEY: secret(),
    SECONDARY_RAMP_CALLBACK_SECRET: secret(),
    ORDER_WALLET_SECRET: secret(),
  };
  const secrets = secretsSchema.parse({ ...made, ...kept });
  writePrivateJson(file, secrets);
  return secrets;
}
