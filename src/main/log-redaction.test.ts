import { HttpRequestError } from 'viem';
import { z } from 'zod';
import { UpstreamError } from '../http/upstream-error';
import { serviceError } from '../errors/service-error';
import { createLogger } from './logger';
import { REDACTED_NAMES, redactLine } from './log-redaction';

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

describe.each([
  ['JSON', file],
  ['a terminal', terminal],
])('the log as %s', (_, out) => {
  const log = createLogger('info', { out });

  test.each(Object.entries(SECRETS))(
    'has no %s: in a message, a field, a list, an error, its stack or its causes',
    (_name, value) => {
      log.info(`before ${value} after`);
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

  test.each(REDACTED_NAMES)('has no value of a property %s, at any depth, whatever its form', (name) => {
    const holders = [
      { [name]: 'canary' },
      { one: { [name]: { text: 'canary' } } },
      { one: { two: { [name]: ['canary'] } } },
    ];
    for (const holder of holders) log.info(holder, 'given');
    log.info({ one: { two: { three: { four: { [name]: 'canary "quoted" canary' } } } } }, 'deep');
    log.info({ text: JSON.stringify({ [name]: 'canary', again: JSON.stringify({ [name]: 'canary' }) }) }, 'in a text');
    log.info({ [name.toUpperCase()]: 'canary' }, 'in capitals');
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

test('a line of 10 kB that is all of suspicious characters is redacted in milliseconds', () => {
  for (const text of [
    '+1',
    '"pixKey":"\\',
    'eyJ',
    'a@',
    '1.',
    '000201',
    'https://',
    '-----BEGIN PRIVATE KEY-----',
    '\\"',
  ]) {
    const line = text.repeat(10_000 / text.length);
    const startedAt = performance.now();
    redactLine(line);
    expect([text, performance.now() - startedAt < 500]).toEqual([text, true]);
  }
});
