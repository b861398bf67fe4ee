import { spawnSync } from 'node:child_process';
import { verifyWebhook } from '../../scripts/webhooks/verify-webhook';
import { createWebhookSecret, webhookSignature } from '../../src/webhooks/signature';

/** The example of the reference implementations of Standard Webhooks. */
const EXAMPLE = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const PYTHON = `
import sys, json, hmac, hashlib, base64
m = json.load(sys.stdin)
key = base64.b64decode(m["secret"].removeprefix("whsec_"))
signed = (m["id"] + "." + str(m["timestamp"]) + "." + m["body"]).encode()
print("v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode())
`;
const runPython = (input: string) => spawnSync('python3', ['-c', PYTHON], { input, encoding: 'utf8' });
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('the signature of a webhook', () => {
  it('is the one of the reference implementations', () => {
    expect(webhookSignature([EXAMPLE.secret], EXAMPLE)).toBe(EXAMPLE.signature);
  });

  (hasPython ? it : it.skip)('is the one that Python computes, for any text', () => {
    for (const body of ['{}', '{"name":"João – 東京 🎉"}', `{"long":"${'x'.repeat(15_000)}"}`]) {
      const message = { ...EXAMPLE, secret: createWebhookSecret(), body };
      const python = runPython(JSON.stringify(message));
      expect(`${webhookSignature([message.secret], message)}\n`).toBe(python.stdout);
    }
  });

  it('has one signature for each secret while a secret rotates', () => {
    const next = createWebhookSecret();
    const both = webhookSignature([next, EXAMPLE.secret], EXAMPLE).split(' ');
    expect(both).toEqual([webhookSignature([next], EXAMPLE), EXAMPLE.signature]);
  });

  it('is made with secrets of 32 bytes that never repeat', () => {
    const secrets = Array.from({ length: 100 }, createWebhookSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });
});

describe('a receiver', () => {
  const { secret, id, body: text } = EXAMPLE;
  const now = new Date(EXAMPLE.timestamp * 1000);
  const received = {
    id,
    timestamp: String(EXAMPLE.timestamp),
    signature: EXAMPLE.signature,
    body: Buffer.from(text),
  };

  it('verifies a webhook with either secret of a rotation, within five minutes', () => {
    const other = createWebhookSecret();
    expect(verifyWebhook(received, [secret], now)).toBe(true);
    expect(verifyWebhook(received, [other, secret], now)).toBe(true);
    const rotated = { ...received, signature: webhookSignature([other, secret], EXAMPLE) };
    expect([[other], [secret]].map((secrets) => verifyWebhook(rotated, secrets, now))).toEqual([true, true]);
    expect(verifyWebhook(received, [secret], new Date(now.getTime() + 300_000))).toBe(true);
  });

  it.each([
    ['another body', { body: Buffer.from(`${text} `) }],
    ['another id', { id: 'msg_other' }],
    ['another time', { timestamp: String(EXAMPLE.timestamp + 1) }],
    ['no time', { timestamp: '' }],
    ['no signature', { signature: '' }],
    ['a signature of another kind', { signature: EXAMPLE.signature.replace('v1,', 'v1a,') }],
  ])('rejects a webhook with %s', (_, change) => {
    expect(verifyWebhook({ ...received, ...change }, [secret], now)).toBe(false);
  });

  it('rejects a webhook of another secret, and one that is older than five minutes', () => {
    expect(verifyWebhook(received, [createWebhookSecret()], now)).toBe(false);
    expect(verifyWebhook(received, [], now)).toBe(false);
    expect(verifyWebhook(received, [secret], new Date(now.getTime() + 301_000))).toBe(false);
  });
});
