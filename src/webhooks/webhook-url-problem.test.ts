import { originOf, webhookUrlProblem } from './webhook-url-problem';

const strict = { allowLoopback: false };

describe('a webhook URL', () => {
  it.each([
    'https://example.com/hooks',
    'https://example.com:8443/a?b=c',
    'https://93.184.216.34/',
    'HTTPS://Example.com',
    'https://bücher.example.com/',
    'https://例え.テスト/',
  ])('is accepted: %s', (url) => expect(webhookUrlProblem(url, strict)).toBeUndefined());

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'javascript:alert(1)',
    'example.com',
    '//example.com',
    'https://',
    'https://user:pass@example.com/',
    'https://localhost/',
    'https://api.localhost/',
    'https://intranet/',
    'https://vault.internal/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0.0.0.0/',
    'https://①②⑦.⓪.⓪.①/',
    'https://10.0.0.1/',
    'https://192.168.1.1./',
    'https://169.254.169.254/',
    'https://100.64.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fe80::1]/',
    'https://example.com/\u0000x',
    'https://example.com/\tx',
    'https://example.com/\ud800',
  ])('is refused: %s', (url) => expect(webhookUrlProblem(url, strict)).toEqual(expect.any(String)));

  it('is rejected when it is longer than 2048 characters', () => {
    const accepted = 'https://example.com/'.padEnd(2048, 'a');
    expect(webhookUrlProblem(accepted, strict)).toBeUndefined();
    expect(webhookUrlProblem(`${accepted}a`, strict)).toBe('must be at most 2048 characters long');
  });

  it('may have a host as long as the DNS allows', () => {
    const host = `${'abcdefghi.'.repeat(25)}com`;
    expect(host).toHaveLength(253);
    expect(webhookUrlProblem(`https://${host}/`, strict)).toBeUndefined();
    expect(originOf(`https://${host}/a`)).toBe(`https://${host}`);
    expect(webhookUrlProblem(`https://a${host}/`, strict)).toContain('253');
  });

  it.each([
    ['http://example.com/', 'must be an absolute https URL'],
    ['ftp://example.com/', 'must be an absolute https URL'],
    ['x-https://example.com/', 'must be an absolute https URL'],
    [' https://example.com/', 'must be an absolute https URL'],
    ['https://', 'must be an absolute https URL'],
    ['https://user@example.com/', 'must not contain credentials'],
    ['https://:pass@example.com/', 'must not contain credentials'],
    ['https://example.com/\tx', 'must not contain control characters'],
    ['https://intranet/', 'must name a public host'],
    ['https://10.0.0.1/', 'must name a public host'],
    ['https://[::1]/', 'must name a public host'],
    ['https://printer.local./', 'must name a public host'],
  ])('%s has the problem: %s', (url, problem) => expect(webhookUrlProblem(url, strict)).toBe(problem));

  it.each([
    'https://localhost.example.com/',
    'https://mylocalhost.example/',
    'https://internal.example.com/',
    'https://1.1.1.1./',
  ])('is accepted where a local name is only a part of its host: %s', (url) =>
    expect(webhookUrlProblem(url, strict)).toBeUndefined(),
  );

  it.each(['http://localhost.example.com/', 'http://mylocalhost/', 'http://localhosts/', 'http://localhost.com/'])(
    'does not name this machine by a similar host: %s',
    (url) => expect(webhookUrlProblem(url, { allowLoopback: true })).toBe('must be an absolute https URL'),
  );

  it.each(['http://localhost./', 'http://a.localhost/', 'http://127.9.9.9/'])('may name this machine as %s', (url) =>
    expect(webhookUrlProblem(url, { allowLoopback: true })).toBeUndefined(),
  );

  it('is rejected when its host is longer than the DNS allows in the ASCII form, also where loopback is accepted', () => {
    const host = Array.from({ length: 1000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)));
    for (const suffix of ['example.com', 'localhost']) {
      const url = `https://${host.join('')}.${suffix}/`;
      expect(webhookUrlProblem(url, { allowLoopback: true })).toContain('253');
      expect(() => originOf(url)).toThrow('253');
    }
    expect(originOf('https://bücher.example.com:8443/a')).toBe('https://xn--bcher-kva.example.com:8443');
  });

  it.each(['http://127.0.0.1:4010/hook', 'http://localhost:4010/hook', 'http://[::1]:4010/', 'https://localhost/'])(
    'may name this machine where the deployment says so: %s',
    (url) => {
      expect(webhookUrlProblem(url, { allowLoopback: true })).toBeUndefined();
      expect(webhookUrlProblem(url, strict)).toEqual(expect.any(String));
    },
  );

  it('must otherwise be public and https where the deployment allows loopback', () => {
    expect(webhookUrlProblem('http://example.com/', { allowLoopback: true })).toEqual(expect.any(String));
    expect(webhookUrlProblem('https://10.0.0.1/', { allowLoopback: true })).toEqual(expect.any(String));
  });
});
