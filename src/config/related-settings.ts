import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';

/** The variables that are set. */
export type GivenSettings = Readonly<Partial<Record<string, string>>>;

/** Problems of variables that depend on each other: `NAME: problem`. Values are checked by their schema. */
export function relatedSettingProblems(given: GivenSettings): readonly string[] {
  return [
    ...identityProviderProblems(given),
    ...roleProblems(given),
    ...primaryRampKeyProblems(given),
    ...personalDataProblems(given),
    ...strategyFeeProblems(given),
    ...tokenizedStockProblems(given),
    ...metricsPortProblems(given),
    ...readTimeoutProblems(given),
  ];
}

/** `04000` is 4000, and 0 is any free port. */
function metricsPortProblems({ METRICS_PORT: metrics = '0', PORT: port = '4000' }: GivenSettings): readonly string[] {
  const isSame = Number.parseInt(metrics, 10) === Number.parseInt(port, 10) && Number.parseInt(metrics, 10) > 0;
  return isSame ? ['METRICS_PORT: must differ from PORT, which callers reach'] : [];
}

/** As the schema reads it: a malformed number is its own problem. */
const numberOf = (given: GivenSettings, name: string, fallback: number): number | undefined =>
  z.coerce.number().safeParse(given[name] ?? fallback).data;

/** Up to this timeout an overview ends within the default of SUBGRAPH_TIMEOUT_MS. */
const MAX_UNRELATED_READ_MS = 5000;

/** A section of an overview is read in up to four steps with the timeout of reads. Workers serve no overviews. */
function readTimeoutProblems(given: GivenSettings): readonly string[] {
  const readMs = numberOf(given, 'READ_TIMEOUT_MS', 2000) ?? 0;
  const subgraphMs = numberOf(given, 'SUBGRAPH_TIMEOUT_MS', 20_000) ?? Infinity;
  if (given['ROLE'] === 'worker' || readMs <= MAX_UNRELATED_READ_MS || subgraphMs >= 4 * readMs) return [];
  const minimum = String(Math.ceil(4 * readMs));
  return [
    `READ_TIMEOUT_MS: above ${String(MAX_UNRELATED_READ_MS)} it requires a SUBGRAPH_TIMEOUT_MS of at least ${minimum}`,
  ];
}

const PROFIT_FEES = ['STRATEGY_PERFORMANCE_FEE_BPS', 'STRATEGY_MARKUP_FEE_BPS'];
/** Less than the whole profit. */
const MAX_PROFIT_BPS = 9999;

/** A fee needs a collector, and those on profit take less than all of it. */
function strategyFeeProblems(given: GivenSettings): readonly string[] {
  const valueOf = (name: string): number | undefined => numberOf(given, name, 0);
  const charged = ['STRATEGY_ENTRY_FEE_BPS', ...PROFIT_FEES].find((name) => valueOf(name) !== 0);
  const collector =
    charged === undefined
      ? []
      : missing(given, ['STRATEGY_FEE_COLLECTOR'], `with ${charged}: the wallet that receives the fee`);
  const ofProfit = PROFIT_FEES.reduce((sum, name) => sum + (valueOf(name) ?? 0), 0);
  if (ofProfit <= MAX_PROFIT_BPS) return collector;
  return [...collector, `${PROFIT_FEES.join(' and ')}: must be at most ${String(MAX_PROFIT_BPS)} together`];
}

/** Orders are owned by wallets of their own, whose gas the service pays. */
const tokenizedStockProblems = (given: GivenSettings): readonly string[] =>
  given['TOKENIZED_STOCK_API_KEY'] === undefined
    ? []
    : missing(given, ['ORDER_WALLET_SECRET', 'SERVICE_WALLET_KEY'], 'with TOKENIZED_STOCK_API_KEY');

const missing = (given: GivenSettings, names: readonly string[], reason: string): readonly string[] =>
  names.flatMap((name) => (given[name] === undefined ? [`${name}: is required ${reason}`] : []));

/** Issuer and audience are required, since access tokens of any other issuer or audience must be rejected. */
const identityProviderProblems = (given: GivenSettings): readonly string[] =>
  given['JWKS_URL'] === undefined ? [] : missing(given, ['JWT_ISSUER', 'JWT_AUDIENCE'], 'with JWKS_URL');

function roleProblems(given: GivenSettings): readonly string[] {
  if (given['ROLE'] === 'subgraph') return missing(given, ['SUBGRAPH', 'INTERNAL_SECRET'], 'with ROLE=subgraph');
  const remote = Object.keys(given).find((name) => name.startsWith('SUBGRAPH_URL_'));
  return remote === undefined || given['ROLE'] === 'worker'
    ? []
    : missing(given, ['INTERNAL_SECRET'], `with ${remote}: the same secret as in the subgraph's process`);
}

function primaryRampKeyProblems(given: GivenSettings): readonly string[] {
  const { PRIMARY_RAMP_API_KEY: apiKey, PRIMARY_RAMP_PRIVATE_KEY: pem } = given;
  if (apiKey === undefined && pem === undefined) return [];
  const absent = [
    ...missing(given, ['PRIMARY_RAMP_API_KEY'], 'with PRIMARY_RAMP_PRIVATE_KEY'),
    ...missing(given, ['PRIMARY_RAMP_PRIVATE_KEY'], 'with PRIMARY_RAMP_API_KEY'),
  ];
  if (pem === undefined || isRsaKey(pem.replaceAll('\\n', '\n'))) return absent;
  return [...absent, `PRIMARY_RAMP_PRIVATE_KEY: must be an RSA private key in PEM; line breaks may be written as \\n`];
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function personalDataProblems(given: GivenSettings): readonly string[] {
  const ramp = ['PRIMARY_RAMP_API_KEY', 'SECONDARY_RAMP_API_KEY'].find((name) => given[name] !== undefined);
  const absent =
    ramp === undefined
      ? []
      : missing(given, ['PERSONAL_DATA_KEYS', 'BLIND_INDEX_KEY'], `with ${ramp}: payout details are stored encrypted`);
  const versions = (given['PERSONAL_DATA_KEYS'] ?? '').split(',').map((entry) => entry.split(':')[0]?.trim());
  const repeated = versions.find((version, index) => versions.indexOf(version) !== index);
  return repeated === undefined ? absent : [...absent, `PERSONAL_DATA_KEYS: has version ${repeated} twice`];
}
