import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { problemsOf, required } from '../../test/setup/config-problems';
import { unknownChainProblem } from '../chains/chain-table';
import { STRATEGY_ROUTER_ADDRESS } from '../chains/strategy-router';
import { checkEmbeddedEnvironment, loadConfig } from './config';
import { environmentSchema } from './environment-schema';
import { PROJECT_ROOT } from './project-root';
import { unknownVariables } from './unknown-variables';

test('an identity provider is of no use without an issuer and an audience', () => {
  const provider = { ...required, JWKS_URL: 'https://id.example/jwks.json' };
  expect(() => loadConfig(provider)).toThrow(/JWT_ISSUER: is required[^]*JWT_AUDIENCE: is required/);
  expect(() => loadConfig({ ...provider, JWT_ISSUER: 'https://id.example', JWT_AUDIENCE: 'afluente' })).not.toThrow();
  expect(() => loadConfig(required)).not.toThrow();
});

test('all problems are reported at once, in words, and each names its variable', () => {
  const wrong = {
    DATABASE_URL: 'mysql://db.example/afluente',
    PORT: '70000',
    ROLE: 'workers',
    PUBLIC_URL: 'ftp://api.example',
    RATE_LIMIT_PER_MINUTE: 'many',
    QUOTE_BUDGET_MS: '-1',
    JWKS_URL: 'https://id.example/jwks.json',
    SUBGRAPH_URL_SWAPS: 'http://swaps.internal/graphql',
    PRIMARY_RAMP_API_KEY: 'key',
    RPC_URL_ATLANTIS: 'https://rpc.example',
    CHAINS_FILE: '/absent/chains.json',
    SERVICE_WALLET_KEY: `0x${'0'.repeat(64)}`,
  };
  expect(problemsOf(wrong)).toEqual([
    'ROLE: must be one of all, gateway, subgraph, worker',
    'PORT: must be at most 65535',
    'PUBLIC_URL: must be a URL that begins with http:// or https://',
    expect.stringMatching(/^DATABASE_URL: must be a URL like postgres:\/\//),
    'API_KEY_PEPPER: is required: 32 random bytes in hexadecimal, such as those of "openssl rand -hex 32"',
    'RATE_LIMIT_PER_MINUTE: must be a number',
    'SERVICE_WALLET_KEY: must be a private key: 0x and 64 hexadecimal digits',
    'QUOTE_BUDGET_MS: must be more than 0',
    'JWT_ISSUER: is required with JWKS_URL',
    'JWT_AUDIENCE: is required with JWKS_URL',
    "INTERNAL_SECRET: is required with SUBGRAPH_URL_SWAPS: the same secret as in the subgraph's process",
    'PRIMARY_RAMP_PRIVATE_KEY: is required with PRIMARY_RAMP_API_KEY',
    'PERSONAL_DATA_KEYS: is required with PRIMARY_RAMP_API_KEY: payout details are stored encrypted',
    'BLIND_INDEX_KEY: is required with PRIMARY_RAMP_API_KEY: payout details are stored encrypted',
    expect.stringMatching(/^CHAINS_FILE: cannot be read: .*\/absent\/chains\.json/),
    'RPC_URL_ATLANTIS: is not a chain of this deployment. Describe it in CHAINS_FILE',
  ]);
});

test('a role has the settings that it needs', () => {
  expect(problemsOf({ ...required, ROLE: 'subgraph' })).toEqual([
    'SUBGRAPH: is required with ROLE=subgraph',
    'INTERNAL_SECRET: is required with ROLE=subgraph',
  ]);
  expect(() => checkEmbeddedEnvironment({ ROLE: 'worker' })).toThrow('DATABASE_URL: is required with ROLE=worker');
});

test('STRATEGY_ROUTER_CHAINS gives known chains the router of strategies, and names of no EVM chain are a problem', () => {
  const { chains } = loadConfig({ ...required, STRATEGY_ROUTER_CHAINS: 'polygon, base' });
  const routed = chains.table.all.filter(({ strategyRouter }) => strategyRouter === STRATEGY_ROUTER_ADDRESS);
  expect(routed.map(({ slug }) => slug)).toEqual(['polygon', 'base']);
  expect(problemsOf({ ...required, STRATEGY_ROUTER_CHAINS: 'polygon,atlantis,solana' })).toEqual([
    'STRATEGY_ROUTER_CHAINS: atlantis is not an EVM chain of this deployment',
    'STRATEGY_ROUTER_CHAINS: solana is not an EVM chain of this deployment',
  ]);
  // The embedded mode has chains of its own, which are started later.
  expect(() => checkEmbeddedEnvironment({ STRATEGY_ROUTER_CHAINS: 'devnet' })).not.toThrow();
});

test('the example of CHAINS_FILE is valid', () => {
  const { chains } = loadConfig({ ...required, CHAINS_FILE: path.join(PROJECT_ROOT, 'docs/examples/chains.json') });
  const logoURI = 'https://rollup.example/logo.png';
  expect(chains.table.find('example-rollup')).toMatchObject({ chainId: 424242, confirmations: 10, logoURI });
  expect([...chains.rpcUrls]).toEqual([[424242, 'https://rpc.rollup.example']]);
});

test('a chain of CHAINS_FILE has the registry of collections that its entry names, by its address', () => {
  const [rollup] = JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'docs/examples/chains.json'), 'utf8')) as [object];
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'chains-')), 'chains.json');
  const settings = { ...required, CHAINS_FILE: file };
  const write = (collectionRegistry: string) =>
    writeFileSync(file, JSON.stringify([{ ...rollup, collectionRegistry }]));
  write('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2');
  const { chains, COLLECTION_GAS_MAX_USD } = loadConfig(settings);
  expect(chains.table.get(424242).collectionRegistry).toBe('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2');
  expect(COLLECTION_GAS_MAX_USD).toBe(1_000_000n);
  expect(problemsOf({ ...settings, COLLECTION_GAS_MAX_USD: '-1' })).toEqual([
    'COLLECTION_GAS_MAX_USD: must be an amount of US dollars, such as 1.5',
  ]);
  write('none');
  expect(problemsOf(settings)).toEqual([expect.stringMatching(/^CHAINS_FILE: 0\.collectionRegistry /)]);
  rmSync(path.dirname(file), { recursive: true });
});

test('the logo of a chain in CHAINS_FILE must be a http(s) URL', () => {
  const [rollup] = JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'docs/examples/chains.json'), 'utf8')) as [object];
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'chains-')), 'chains.json');
  for (const logoURI of ['logo.png', 'javascript:alert(1)']) {
    writeFileSync(file, JSON.stringify([{ ...rollup, logoURI }]));
    expect(problemsOf({ ...required, CHAINS_FILE: file })).toEqual([
      expect.stringMatching(/^CHAINS_FILE: 0\.logoURI /),
    ]);
  }
  rmSync(path.dirname(file), { recursive: true });
});

test('an unknown chain is refused with the names of those that the deployment has an endpoint of', () => {
  const { chains } = loadConfig({ ...required, RPC_URL_BASE: 'https://base.example' });
  expect(unknownChainProblem(chains.table.served)).toBe('is not a supported chain: use one of base, fiat');
});

test('the token of a Pyth feed has the spelling under which it is looked up, and must be a token address', () => {
  const [rollup] = JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'docs/examples/chains.json'), 'utf8')) as [object];
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'chains-')), 'chains.json');
  const load = (token: string) => {
    const prices = { pyth: [{ token, id: `0x${'a'.repeat(64)}` }] };
    writeFileSync(file, JSON.stringify([{ ...rollup, prices }]));
    return problemsOf({ ...required, CHAINS_FILE: file });
  };
  expect(load('WETH')).toEqual(['CHAINS_FILE: 0.prices.pyth.0.token is not a token address of its chain']);
  expect(load('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')).toEqual([]);
  const { chains } = loadConfig({ ...required, CHAINS_FILE: file });
  expect(chains.table.get(424242).prices?.pyth?.[0]?.token).toBe('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2');
  rmSync(path.dirname(file), { recursive: true });
});

test('the embedded mode checks the environment before it starts anything', () => {
  expect(() => checkEmbeddedEnvironment({ PORT: 'http' })).toThrow('PORT: must be a number');
  expect(() => checkEmbeddedEnvironment({ DATABASE_URL: '', RPC_URL_DEVNET: 'http://127.0.0.1:8545' })).not.toThrow();
});

test('the key of the primary ramp is an RSA key, whose line breaks may be escaped', () => {
  const ramp = {
    ...required,
    PRIMARY_RAMP_API_KEY: 'key',
    PERSONAL_DATA_KEYS: `1:${'ab'.repeat(32)}`,
    BLIND_INDEX_KEY: 'ab'.repeat(32),
  };
  const pem = (type: 'rsa' | 'ed25519') =>
    (type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519')).privateKey
      .export({ type: 'pkcs8', format: 'pem' })
      .toString();
  expect(problemsOf({ ...ramp, PRIMARY_RAMP_PRIVATE_KEY: pem('rsa').replaceAll('\n', '\\n') })).toEqual([]);
  for (const key of ['not a key', pem('ed25519')]) {
    expect(problemsOf({ ...ramp, PRIMARY_RAMP_PRIVATE_KEY: key })).toEqual([
      expect.stringContaining('PRIMARY_RAMP_PRIVATE_KEY: must be an RSA private key in PEM'),
    ]);
  }
});

test('a version of the keys for personal data appears once', () => {
  const key = 'ab'.repeat(32);
  expect(problemsOf({ ...required, PERSONAL_DATA_KEYS: `1:${key},1:${key}` })).toEqual([
    'PERSONAL_DATA_KEYS: has version 1 twice',
  ]);
});

test('an entry fee on strategies has a collector, and fees on profit are refused rather than promised', () => {
  const collector = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
  expect(problemsOf({ ...required, STRATEGY_ENTRY_FEE_BPS: '25' })).toEqual([
    'STRATEGY_FEE_COLLECTOR: is required with STRATEGY_ENTRY_FEE_BPS: the wallet that receives the fee',
  ]);
  const fees = { STRATEGY_ENTRY_FEE_BPS: '25', STRATEGY_FEE_COLLECTOR: collector };
  expect(loadConfig({ ...required, ...fees })).toMatchObject({
    STRATEGY_ENTRY_FEE_BPS: 25,
    STRATEGY_MARKUP_FEE_BPS: 0,
    STRATEGY_FEE_COLLECTOR: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  });
  expect(problemsOf({ ...required, STRATEGY_PERFORMANCE_FEE_BPS: '500', STRATEGY_MARKUP_FEE_BPS: '0' })).toEqual([
    'STRATEGY_FEE_COLLECTOR: is required with STRATEGY_PERFORMANCE_FEE_BPS: the wallet that receives the fee',
  ]);
  const profit = { STRATEGY_PERFORMANCE_FEE_BPS: '5000', STRATEGY_MARKUP_FEE_BPS: '5000' };
  expect(problemsOf({ ...required, ...profit, STRATEGY_FEE_COLLECTOR: collector })).toEqual([
    'STRATEGY_PERFORMANCE_FEE_BPS and STRATEGY_MARKUP_FEE_BPS: must be at most 9999 together',
  ]);
  for (const zero of ['0', '0.0', '-0', ' 0 '])
    expect(problemsOf({ ...required, STRATEGY_ENTRY_FEE_BPS: zero })).not.toContainEqual(
      expect.stringContaining('STRATEGY_FEE_COLLECTOR'),
    );
  expect(problemsOf({ ...required, ...fees, STRATEGY_FEE_COLLECTOR: 'treasury' })).toHaveLength(1);
});

test('orders of tokenized stocks need the secret of their wallets, and a wallet that pays for gas', () => {
  const stocks = { ...required, TOKENIZED_STOCK_API_KEY: 'key' };
  expect(problemsOf(stocks)).toEqual([
    'ORDER_WALLET_SECRET: is required with TOKENIZED_STOCK_API_KEY',
    'SERVICE_WALLET_KEY: is required with TOKENIZED_STOCK_API_KEY',
  ]);
  const wallets = { ORDER_WALLET_SECRET: 'ab'.repeat(32), SERVICE_WALLET_KEY: `0x${'1'.repeat(64)}` };
  expect(loadConfig({ ...stocks, ...wallets })).toMatchObject({ COW_API_URL: 'https://api.cow.fi/bnb' });
});

test('a variable that resembles a setting or has its prefix is warned about, and other variables are not', () => {
  const { warnings } = loadConfig({
    ...required,
    RATE_LIMIT_PER_MINTUE: '5',
    AFLUENTE_LOG: 'debug',
    HOSTNAME: 'machine',
    NODE_ENV: 'production',
    npm_config_cache: '/cache',
  });
  expect(warnings).toEqual([
    'RATE_LIMIT_PER_MINTUE is not a setting of this service and has no effect. Did you mean RATE_LIMIT_PER_MINUTE?',
    'AFLUENTE_LOG is not a setting of this service and has no effect.',
  ]);
});

test('no setting is warned about', () => {
  const files = ['CHAINS_FILE', 'STRATEGIES_FILE', 'TOKEN_LIST_FILES', 'AFLUENTE_DATA_DIR', 'AFLUENTE_ENV_FILE'];
  const names = [...Object.keys(environmentSchema.shape), ...files, 'STRATEGY_ROUTER_CHAINS'];
  expect(unknownVariables([...names, 'RPC_URL_BASE', 'DATABASE', 'PORTS', 'HOSTNAME'])).toEqual([]);
});

test('a renamed variable is accepted under its former name, and the current name wins', () => {
  expect(loadConfig({ ...required, COMPLETION_LEAST_USD: '7' }).COMPLETION_MIN_USD).toBe(7_000_000n);
  const both = { ...required, COMPLETION_LEAST_USD: '7', COMPLETION_MIN_USD: '3' };
  expect(loadConfig(both).COMPLETION_MIN_USD).toBe(3_000_000n);
  expect(loadConfig({ ...required, COMPLETION_LEAST_USD: '' }).COMPLETION_MIN_USD).toBe(1_000_000n);
});

test('an amount of US dollars and a share are kept exactly', () => {
  const given = { COMPLETION_MIN_USD: '0.1', COMPLETION_MAX_COST_SHARE: '0.07' };
  expect(loadConfig({ ...required, ...given })).toMatchObject({
    COMPLETION_MIN_USD: 100_000n,
    COMPLETION_MAX_COST_SHARE: 70_000n,
  });
  expect(loadConfig(required)).toMatchObject({ COMPLETION_MAX_COST_SHARE: 100_000n });
  for (const text of ['-1', '1e3', 'x']) {
    expect(problemsOf({ ...required, COMPLETION_MIN_USD: text })).toEqual([
      'COMPLETION_MIN_USD: must be an amount of US dollars, such as 1.5',
    ]);
  }
  for (const text of ['-0.1', '1.000001', '0.0000001', '.1', '10 %']) {
    expect(problemsOf({ ...required, COMPLETION_MAX_COST_SHARE: text })).toEqual([
      'COMPLETION_MAX_COST_SHARE: must be a share from 0 to 1 with at most 6 decimals, such as 0.1',
    ]);
  }
});

test('the uploads of a customer have room for the largest body, and leave room for that of another customer', () => {
  for (const megabytes of ['39', '121']) {
    expect(() => loadConfig({ ...required, MAX_UPLOAD_MEGABYTES: megabytes })).toThrow(/MAX_UPLOAD_MEGABYTES/);
  }
  for (const megabytes of ['40', '120']) {
    expect(loadConfig({ ...required, MAX_UPLOAD_MEGABYTES: megabytes }).MAX_UPLOAD_MEGABYTES).toBe(Number(megabytes));
  }
});

test('the port of the metrics differs from that of callers, and may be left open', () => {
  expect(loadConfig(required).METRICS_PORT).toBeUndefined();
  expect(loadConfig(required).METRICS_HOST).toBe('127.0.0.1');
  expect(loadConfig({ ...required, METRICS_PORT: '9464' }).METRICS_PORT).toBe(9464);
  const problem = 'METRICS_PORT: must differ from PORT, which callers reach';
  expect(problemsOf({ ...required, METRICS_PORT: '4000' })).toEqual([problem]);
  expect(problemsOf({ ...required, PORT: '5000', METRICS_PORT: '05000' })).toEqual([problem]);
  expect(loadConfig({ ...required, PORT: '0', METRICS_PORT: '0' }).METRICS_PORT).toBe(0);
});

test('headers for the receiver of traces are read as OpenTelemetry writes them', () => {
  const headersOf = (text: string) =>
    loadConfig({ ...required, OTEL_EXPORTER_OTLP_HEADERS: text }).OTEL_EXPORTER_OTLP_HEADERS;
  expect(loadConfig(required).OTEL_EXPORTER_OTLP_HEADERS).toEqual({});
  expect(headersOf('Authorization=Basic%20a2V5,x-team=one=two')).toEqual({
    authorization: 'Basic a2V5',
    'x-team': 'one=two',
  });
  for (const text of ['no-value', '=x', 'a=b,', 'a=%']) {
    expect(problemsOf({ ...required, OTEL_EXPORTER_OTLP_HEADERS: text })).toEqual([
      expect.stringContaining('OTEL_EXPORTER_OTLP_HEADERS: must be like name=value'),
    ]);
  }
});

test('the share of traced requests is between 0 and 1', () => {
  expect(loadConfig(required).OTEL_TRACES_SAMPLER_ARG).toBe(1);
  expect(loadConfig({ ...required, OTEL_TRACES_SAMPLER_ARG: '0.05' }).OTEL_TRACES_SAMPLER_ARG).toBe(0.05);
  for (const text of ['-0.1', '1.1', 'all']) {
    expect(problemsOf({ ...required, OTEL_TRACES_SAMPLER_ARG: text })).toHaveLength(1);
  }
});
