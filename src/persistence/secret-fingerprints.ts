import { createHmac } from 'node:crypto';
import type { Database } from './database';
import type { SealingKeys } from './personal-data';

/** A secret that data in the database depends on. */
interface FingerprintedSecret {
  /** Variable of the secret; a versioned key is `PERSONAL_DATA_KEYS:<version>`. */
  readonly name: string;
  readonly secret: string | Buffer;
}

export interface DeploymentSecrets {
  readonly API_KEY_PEPPER: string;
  readonly PERSONAL_DATA_KEYS?: SealingKeys | undefined;
  readonly BLIND_INDEX_KEY?: string | undefined;
  readonly ORDER_WALLET_SECRET?: string | undefined;
}

const VERSIONED = 'PERSONAL_DATA_KEYS:';

/**
 * Compares the configured secrets with the fingerprints in the database and stores those of new secrets. Returns a sentence
 * for each secret that is not the one which the stored data was written with. A fingerprint reveals nothing about its secret.
 */
export async function checkSecretFingerprints(
  { database }: { readonly database: Pick<Database, 'secretFingerprint'> },
  secrets: DeploymentSecrets,
): Promise<readonly string[]> {
  const configured = fingerprintedSecrets(secrets).map(({ name, secret }) => ({
    name,
    fingerprint: new Uint8Array(createHmac('sha256', secret).update(`fingerprint of ${name}`).digest()),
  }));
  // A process without any key stores no personal data, and needs no earlier version.
  const needsAllVersions = secrets.PERSONAL_DATA_KEYS !== undefined;
  const problems = async (): Promise<readonly string[]> =>
    problemsWith(configured, await database.secretFingerprint.findMany(), needsAllVersions);
  const before = await problems();
  if (before.length > 0) return before;
  await database.secretFingerprint.createMany({ data: configured, skipDuplicates: true });
  return problems(); // of two first starts at once with different secrets, one is refused
}

interface Fingerprint {
  readonly name: string;
  readonly fingerprint: Uint8Array<ArrayBuffer>;
}

function problemsWith(
  configured: readonly Fingerprint[],
  rows: readonly Fingerprint[],
  needsAllVersions: boolean,
): readonly string[] {
  const stored = new Map(rows.map(({ name, fingerprint }) => [name, Buffer.from(fingerprint)]));
  const different = configured.filter(({ name, fingerprint }) => stored.get(name)?.equals(fingerprint) === false);
  const absent = needsAllVersions ? [...stored.keys()].filter(isAbsentVersion(configured)) : [];
  return [...different.map(({ name }) => differentSecret(name)), ...absent.map(absentVersion)];
}

const isAbsentVersion =
  (configured: readonly Fingerprint[]) =>
  (stored: string): boolean =>
    stored.startsWith(VERSIONED) && !configured.some(({ name }) => name === stored);

function fingerprintedSecrets(secrets: DeploymentSecrets): readonly FingerprintedSecret[] {
  const { API_KEY_PEPPER, PERSONAL_DATA_KEYS = [], BLIND_INDEX_KEY, ORDER_WALLET_SECRET } = secrets;
  const named = { BLIND_INDEX_KEY, ORDER_WALLET_SECRET };
  return [
    { name: 'API_KEY_PEPPER', secret: API_KEY_PEPPER.toLowerCase() },
    ...PERSONAL_DATA_KEYS.map(({ version, key }) => ({ name: `${VERSIONED}${String(version)}`, secret: key })),
    ...Object.entries(named).flatMap(([name, secret]) =>
      secret === undefined ? [] : [{ name, secret: secret.toLowerCase() }],
    ),
  ];
}

const CONSEQUENCES: Readonly<Record<string, string>> = {
  API_KEY_PEPPER: 'No existing API key would be accepted.',
  BLIND_INDEX_KEY: 'No stored person would be found.',
  ORDER_WALLET_SECRET: 'The tokens in the wallets of open orders would be lost.',
};

const differentSecret = (name: string): string =>
  `${name.replace(/:(\d+)$/, ' (version $1)')} differs from the value that this database was used with. ` +
  `${CONSEQUENCES[name] ?? 'Stored personal data would be unreadable.'} Configure the former value, or accept the loss ` +
  `with: npm run admin -- secret forget ${name}`;

const absentVersion = (name: string): string =>
  `PERSONAL_DATA_KEYS lacks version ${name.slice(VERSIONED.length)}, which this database was used with. Append the former ` +
  `key after the new one, or accept that data under it is unreadable with: npm run admin -- secret forget ${name}`;
