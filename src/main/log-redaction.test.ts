import { HttpRequestError } from 'viem';
import { z } from 'zod';
import { UpstreamError } from '../http/upstream-error';
import { serviceError } from '../errors/service-error';
import { createLogger } from './logger';
import { redactLine } from './log-redaction';
import { REDACTED_NAMES } from './redacted-names';

let lines: string[];
const file = { isTTY: false, write: (line: string) => void lines.push(line) } as unknown as NodeJS.WriteStream;
const terminal = { isTTY: true, write: (line: string) => void lines.push(line) } as unknown as NodeJS.WriteStream;
beforeEach(() => {
  lines = [];
});

const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeQ';
/** Values that must not be in the log, wherever they are. */
const SECRETS: Readonly<Record<string, string>> = {
  'an API key': 'sk_live_k3y1d_Zm9vYmFyc2VjcmV0Y2FuYXJ5',
  'a secret of webhooks': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'an access token': JWT,
  'an authorization header': 'Bearer c2VjcmV0LWNhbmFyeQ==',
  'a password of a database': 'postgres://afluente:hunter2canary@db:5432/afluente',
  'a key in the path of a node': 'https://base-mainnet.g.alchemy.com/v2/aB3dE5gH7jK9mN1pQ3sT5vW7yZ',
  'a key in a query': 'https://rpc.example.com/?apikey=canary123',
  'an e-mail address': 'maria.silva+pix@example.com.br',
  'a CPF': '529.982.247-25',
  'a CPF without punctuation': '52998224725',
  'a CNPJ': '11.222.333/0001-81',
  'a phone number': '+5511987654321',
  'a BR Code':
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D',
  'a private key':
    '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjcanary\n-----END PRIVATE KEY-----',
};
/** The part of each that must have gone. */
const CANARIES = [
  ...[
    'Zm9vYmFyc2VjcmV0',
    'MfKQ9r8GK',
    'eyJzdWIi',
    'c2VjcmV0',
    'hunter2',
    'aB3dE5gH',
    'canary123',
    'maria',
    '529.982',
    '52998224725',
  ],
  ...['11.222', '5511987654321', '123e4567', 'MIIEv'],
];
const expectNoCanary = (text: string): void => {
  for (const canary of CANARIES) expect(text).not.toContain(canary);
};

/** Each name as apiKey, api_key, api-key, API_KEY and apikey. */
const NAMES_IN_EACH_FORM = [
  ...new Set(
    REDACTED_NAMES.flatMap((name) => [
      name.replaceAll(/ (.)/g, (_, letter: string) => letter.toUpperCase()),
      name.replaceAll(' ', '_'),
      name.replaceAll(' ', '-'),
      name.replaceAll(' ', '_').toUpperCase(),
      name.replaceAll(' ', ''),
    ]),
  ),
];

describe.each([
  ['JSON', file],
  ['a terminal', terminal],
])('the log as %s', (_, out) => {
  const log = createLogger('info', { out });

  test.each(Object.entries(SECRETS))(
    'has no %s: in a message, a field, a list, an error, its stack or its causes',
    (_name, value) => {
      log.info(`before ${value} after`);
      log.info(`after a line break\n${value}\n`);
      log.info({ text: JSON.stringify({ inner: `after a line break\n${value}` }) }, 'nested');
      log.info({ field: value, list: [value, { deep: { deeper: { deepest: [value] } } }] }, 'fields');
      log.error({ err: new Error(`it failed with ${value}`, { cause: new Error(value) }) }, 'error');
      log.error(
        { cause: { name: 'X', message: `${value}.` }, nested: JSON.stringify({ inner: JSON.stringify({ value }) }) },
        'x',
      );
      log.child({ bound: value }).warn('child');
      expect(lines.length).toBeGreaterThanOrEqual(5);
      expectNoCanary(lines.join(''));
      expect(lines.join('')).toContain('[redacted]');
    },
  );

  test.each(NAMES_IN_EACH_FORM)('has no value of a property %s, at any depth, whatever its form', (name) => {
    const holders = [
      { [name]: 'canary' },
      { one: { [name]: { text: 'canary' } } },
      { one: { two: { [name]: ['canary'] } } },
    ];
    for (const holder of holders) log.info(holder, 'given');
    log.info({ one: { two: { three: { four: { [name]: 'canary "quoted" canary' } } } } }, 'deep');
    log.info({ text: JSON.stringify({ [name]: 'canary', again: JSON.stringify({ [name]: 'canary' }) }) }, 'in a text');
    log.error({ err: new Error(`it responded with ${JSON.stringify({ [name]: 'canary' })}`) }, 'in a message');
    expect(lines.length).toBeGreaterThanOrEqual(6);
    expect(lines.join('')).not.toContain('canary');
  });
});

test('an error has its type, message, stack, code and causes, and nothing that a client attached to it', () => {
  const log = createLogger('info', { out: file });
  const node = new HttpRequestError({
    url: 'https://node.example.com/v2/aB3dE5gH7jK9mN1pQ3sT5vW7yZ',
    body: { method: 'eth_call', params: ['canary-parameter'] },
    details: 'maria.silva@example.com',
    status: 502,
  });
  const failure = serviceError('PROVIDER_UNAVAILABLE', { provider: 'across', reason: 'down' }, { cause: node });
  const row = Object.assign(new Error('duplicate key'), {
    code: '23505',
    detail: 'Key (email)=(canary) already exists.',
    parameters: ['canary'],
    where: 'canary',
  });
  log.error({ err: failure, cause: row }, 'request failed');
  const upstream = new UpstreamError('it responded with 400', {
    kind: 'status',
    status: 400,
    body: { detail: 'canary' },
  });
  log.warn({ err: new AggregateError([upstream, row], 'several'), cause: 'plain' }, 'several');
  const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, any>);
  expect(first).toMatchObject({
    msg: 'request failed',
    err: { type: 'ServiceError', code: 'PROVIDER_UNAVAILABLE', stack: expect.stringContaining('log-redaction.test') },
    cause: { type: 'Error', code: '23505', message: 'duplicate key' },
  });
  expect(first!['err'].cause).toMatchObject({ type: 'HttpRequestError', status: 502 });
  expect(first!['err'].cause.message).toMatch(/Request body: \[redacted\]\n.*\nVersion: viem@\d/s);
  expect(second).toMatchObject({ cause: 'plain', err: { errors: [{ status: 400 }, { code: '23505' }] } });
  expect(lines.join('')).not.toContain('canary');
  expectNoCanary(lines.join(''));
});

test('an error that is its own cause ends', () => {
  const error = new Error('loop');
  error.cause = error;
  createLogger('info', { out: file }).error({ err: error }, 'loop');
  expect(lines[0]!.match(/"type":"Error"/g)!.length).toBeLessThan(10);
});

test.each([
  '{"level":30,"time":1764000000000,"requestId":"01890a5d-ac96-774b-bcce-b302099a8057","route":"/v2/swap/quote","status":200,"msg":"request"}',
  '{"txHash":"0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060","chainId":8453,"msg":"a transaction was put into quarantine"}',
  '{"address":"0x52908400098527886E0F7030069857D2E4169EE7","amount":"12345678901","actionId":"01890a5d-ac96-774b-bcce-b30209912345"}',
  '{"role":"subgraph","url":"http://0.0.0.0:4000/graphql","msg":"ready"}',
  '{"stack":"at file:///srv/dist/src/venues/request-provider-quote.js:85:12\\n at node:internal/process/task_queues:95:5"}',
])('what an operator needs stays as it is: %s', (line) => {
  expect(redactLine(line)).toBe(line);
});

test('the messages of schemas stay readable', () => {
  const { error } = z.object({ amount: z.string() }).safeParse({ amount: 5 });
  createLogger('info', { out: file }).warn({ err: error }, 'unreadable');
  expect(lines[0]).toContain('expected string');
});

test('a redacted line is JSON, also where a value has quotes, backslashes and line breaks', () => {
  const log = createLogger('info', { out: file });
  const hostile = 'a"b\\"c\n{"pixKey":"x\\\\"} \\';
  log.info(
    { pixKey: hostile, list: [{ email: hostile }], text: JSON.stringify({ cpf: hostile, next: 'kept' }) },
    hostile,
  );
  const record = JSON.parse(lines[0]!) as Record<string, unknown>;
  expect(record).toMatchObject({ pixKey: '[redacted]', list: [{ email: '[redacted]' }] });
  expect(record['text']).toContain('kept');
});

test('names that ramps and servers of tokens use are among those that are redacted', () => {
  const response = { client_secret: 'canary', full_name: 'canary', refresh_token: 'canary', id_token: 'canary' };
  const more = { clientSecret: 'canary', internalSecret: 'canary', otp: 'canary', accessKey: 'canary' };
  const log = createLogger('info', { out: file });
  log.warn({ response, more }, 'given');
  log.warn({ text: JSON.stringify({ ...response, ...more }) }, 'in a text');
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toContain('canary');
});

test('an alphanumeric CNPJ is redacted', () => {
  expect(redactLine('{"msg":"of 12.ABC.3DE/01FG-35."}')).toBe('{"msg":"of [redacted]."}');
});

test('the address of a token, which is public, stays readable under its own name', () => {
  const line = '{"tokenAddress":"0x52908400098527886E0F7030069857D2E4169EE7","chainId":8453}';
  expect(redactLine(line)).toBe(line);
});

test('a number that is a tax number is redacted, and the line stays JSON', () => {
  const log = createLogger('info', { out: file });
  log.info({ slot: 52998224725, list: [52998224725, 12345678901], last: 52998224725 }, 'cpf:52998224725,x');
  expect(JSON.parse(lines[0]!)).toMatchObject({
    slot: '[redacted]',
    list: ['[redacted]', 12345678901],
    last: '[redacted]',
    msg: 'cpf:[redacted],x',
  });
});

test.each(Object.entries(SECRETS))(
  'a line stays JSON when %s follows a line break, a quote or a backslash',
  (_, value) => {
    const log = createLogger('info', { out: file });
    log.info({ text: `a\n${value}` }, `"${value}" \\${value} \u0001${value}`);
    expect(() => JSON.parse(lines[0]!) as unknown).not.toThrow();
  },
);

/** Parts of texts for which an expression of a careless form takes a time that grows with the square of their length. */
const HOSTILE = [
  ...['+1', '"pixKey":"\\', '"pixKey":', 'eyJ', 'eyJ-', '-eyJaaaaa.', 'a@', '@', 'a.', '1.', '000201', '000201 '],
  ...['https://', 'a://', '://', '-----BEGIN PRIVATE KEY-----', '-----BEGIN ', '\\', '\\"', '"', 'sk_live_', 'Bearer '],
  ...['Request body: ', '/a1', '12.', 'A.'],
];

test.each(HOSTILE)('a line of 150 kB that repeats %j is redacted in milliseconds, and stays JSON', (part) => {
  const text = part.repeat(15_000 / part.length);
  const fields = Array.from({ length: 4 }, (_, index) => [`field${String(index)}`, text] as const);
  const line = JSON.stringify({ ...Object.fromEntries(fields), msg: `${text} a@b.example sk_live_x "` });
  const started = process.cpuUsage();
  const redacted = redactLine(line);
  const { user, system } = process.cpuUsage(started);
  expect(user + system).toBeLessThan(500_000);
  expect(() => JSON.parse(redacted) as unknown).not.toThrow();
});

test('texts are cut, and a line that is too long keeps what it is about alone', () => {
  const log = createLogger('info', { out: file });
  log.info({ text: 'x'.repeat(10_000) }, 'y'.repeat(10_000));
  log.info({ requestId: 'r', list: Array.from({ length: 100 }, () => 'z'.repeat(10_000)) }, 'long');
  const [cut, short] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(cut).toMatchObject({ text: `${'x'.repeat(4000)}…`, msg: `${'y'.repeat(4000)}…` });
  expect(short).toEqual({
    level: 30,
    time: expect.any(Number),
    service: 'afluente',
    requestId: 'r',
    length: expect.any(Number),
    msg: 'long',
  });
});

test('errors of errors that have errors themselves are a record of bounded size', () => {
  const nested = (depth: number): Error =>
    depth === 0
      ? new Error('last')
      : new AggregateError(
          Array.from({ length: 5 }, () => nested(depth - 1)),
          'several',
        );
  createLogger('info', { out: file }).error({ err: nested(5) }, 'several');
  expect(lines[0]!.match(/"type":/g)!.length).toBeLessThan(40);
});
