import { jpeg, pdf, png } from '../../../test/kyc/images';
import { isServiceError } from '../../errors/service-error';
import { GuardedFetchError } from '../../http/guarded-fetch';
import { isAdult, isBirthDate, isCalendarDate } from './calendar-date';
import { detectFormat, type EvidenceFormat, isIntact } from './file-format';
import { type FileInput, loadEvidence } from './load-evidence';
import { signedUrlExpiry } from './signed-url';

const DAMAGED: readonly (readonly [string, EvidenceFormat, Buffer])[] = [
  ['the beginning of a JPEG', 'image/jpeg', jpeg().subarray(0, 20)],
  ['a JPEG without a frame', 'image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 1, 0xff, 0xd9])],
  ['the beginning of a PNG', 'image/png', png().subarray(0, -6)],
  ['a PNG with an invalid checksum', 'image/png', png().fill(1, 20, 24)],
  ['a truncated PDF', 'application/pdf', pdf().subarray(0, 20)],
];

describe('the format of a file', () => {
  it.each([
    ['image/jpeg', jpeg()],
    ['image/png', png()],
    ['application/pdf', pdf()],
  ] as const)('is read from its bytes, which are intact: %s', (format, bytes) =>
    expect([detectFormat(bytes), isIntact(bytes, format)]).toEqual([format, true]),
  );

  it.each([
    ['an HTML page', Buffer.from('<html><script>alert(1)</script></html>')],
    ['an empty file', Buffer.alloc(0)],
    ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000')],
  ])('is none for %s', (_, bytes) => expect(detectFormat(bytes)).toBeUndefined());

  it.each(DAMAGED)('is also that of a damaged file: %s', (_, format, bytes) =>
    expect([detectFormat(bytes), isIntact(bytes, format)]).toEqual([format, false]),
  );

  it('is detected without failing for every truncation and change of a JPEG or PNG, and no truncated one is intact', () => {
    for (const [format, whole] of [['image/jpeg', jpeg()] as const, ['image/png', png()] as const]) {
      for (let length = 0; length < whole.length; length += 1) {
        const cut = whole.subarray(0, length);
        expect([undefined, format]).toContain(detectFormat(cut));
        expect(isIntact(cut, format)).toBe(false);
        const changed = Buffer.from(whole);
        changed[length] = 0xff;
        expect(() => isIntact(changed, format)).not.toThrow();
      }
    }
  });
});

describe('the expiry of a signed URL', () => {
  const at = '2026-01-31T12:15:00.000Z';
  it.each([
    ['S3', 'X-Amz-Date=20260131T120000Z&X-Amz-Expires=900&X-Amz-Signature=ab'],
    ['GCS', 'X-Goog-Date=20260131T120000Z&X-Goog-Expires=900'],
    ['Azure', 'sv=2024-01-01&se=2026-01-31T12%3A15%3A00Z&sig=ab'],
    ['CloudFront', 'Expires=1769861700&Signature=ab'],
  ])('is read as %s writes it', (_, query) => {
    expect(signedUrlExpiry(`https://files.test/a?${query}`)?.toISOString()).toBe(at);
  });

  it.each(['', 'X-Amz-Date=yesterday&X-Amz-Expires=900', 'X-Amz-Date=20261331T120000Z&X-Amz-Expires=9', 'se=soon'])(
    'is undefined when there is none to read: %s',
    (query) => expect(signedUrlExpiry(`https://files.test/a?${query}`)).toBeUndefined(),
  );
});

describe('a birth date', () => {
  it.each(['1990-02-30', '1990-13-01', '90-01-01', '1990-1-1', '31/01/1990', ''])('has to exist: %s', (date) =>
    expect(isCalendarDate(date)).toBe(false),
  );
  it('may be a leap day', () => expect(isCalendarDate('2008-02-29')).toBe(true));

  it('lies between 1900 and today, by the clock of São Paulo', () => {
    const now = new Date('2026-03-01T02:30:00Z');
    const dates = ['1899-12-31', '1900-01-01', '1990-02-30', '2026-02-28', '2026-03-01'];
    expect(dates.filter((date) => isBirthDate(date, now))).toEqual(['1900-01-01', '2026-02-28']);
  });

  it('makes an adult from the eighteenth birthday on, by the clock of São Paulo', () => {
    expect(isAdult('2008-05-10', new Date('2026-05-10T02:59:59Z'))).toBe(false);
    expect(isAdult('2008-05-10', new Date('2026-05-10T03:00:00Z'))).toBe(true);
    expect(isAdult('2008-02-29', new Date('2026-02-28T12:00:00Z'))).toBe(false);
    expect(isAdult('2008-02-29', new Date('2026-03-01T12:00:00Z'))).toBe(true);
  });
});

describe('the bytes of evidence', () => {
  const MAX_BYTES = 8 * 1024 * 1024;
  const wrapped = (bytes: Buffer, width: number, end = '\n'): string =>
    bytes.toString('base64').replaceAll(new RegExp(`.{1,${String(width)}}`, 'g'), `$&${end}`);
  const fetchedUrls: string[] = [];
  const deps = {
    fetch: {
      fetch: ({ url }: { readonly url: string }) => {
        fetchedUrls.push(url);
        if (url.endsWith('large')) return Promise.reject(new GuardedFetchError({ failure: 'tooLarge' }));
        return Promise.resolve(jpeg());
      },
    },
    hosts: ['files.test'],
    allowLoopback: false,
  };
  const file = (given: Partial<FileInput>): FileInput => ({
    field: 'documents.front',
    base64: undefined,
    url: undefined,
    ...given,
  });
  const rules = () => ({ formats: ['image/jpeg', 'image/png'], signal: new AbortController().signal }) as const;
  const load = (...files: FileInput[]) =>
    loadEvidence(deps, files, rules()).then(
      (loaded) => loaded.map(({ mimeType }) => mimeType),
      (error: unknown) => (isServiceError(error) ? error.code : error),
    );
  const inBase64 = (bytes: Buffer) => file({ base64: bytes.toString('base64') });

  it('are taken from base64 and from URLs, in their order', async () => {
    expect(await load(inBase64(png()), file({ url: 'https://files.test/a' }))).toEqual(['image/png', 'image/jpeg']);
  });

  it.each([
    ['with a prefix', `data:image/png;base64,${png().toString('base64')}`],
    ['with a part of its padding', Buffer.alloc(10).toString('base64').slice(0, -1)],
    ['with too much padding', `${Buffer.alloc(9).toString('base64')}=`],
    ['with characters between', `${png().toString('base64').slice(0, 8)}\u0000${png().toString('base64').slice(8)}`],
    ['with a space that is not ASCII', `${png().toString('base64')}\u00a0`],
    ['for URLs', '_-_-'],
    ['that is empty', ''],
    ['of white space', ' \n'],
    ['of more than 8 MB', Buffer.alloc(MAX_BYTES + 1).toString('base64')],
    [
      'of more than 8 MB, without its padding',
      Buffer.alloc(MAX_BYTES + 1)
        .toString('base64')
        .replaceAll('=', ''),
    ],
    ['of more than 8 MB, in lines', wrapped(Buffer.alloc(MAX_BYTES + 1), 76)],
    ['of mostly white space', `${' '.repeat(20_000_000)}${png().toString('base64')}`],
  ])('are refused as base64 %s', async (_, base64) =>
    expect(await load(file({ base64 }))).toBe('INVALID_EVIDENCE_IMAGE'),
  );

  it.each([
    ['in lines of 76 characters', (bytes: Buffer) => wrapped(bytes, 76)],
    ['in lines of 64 characters that end with CR and LF', (bytes: Buffer) => wrapped(bytes, 64, '\r\n')],
    ['without padding', (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')],
    ['with white space around', (bytes: Buffer) => `\t ${bytes.toString('base64')} \f\n`],
  ])('are taken from base64 %s, unchanged', async (_, encode) => {
    for (const noteLength of [100, 101, 102]) {
      const bytes = png(Buffer.alloc(noteLength, 'x'));
      expect((await loadEvidence(deps, [file({ base64: encode(bytes) })], rules()))[0]!.bytes.equals(bytes)).toBe(true);
    }
  });

  it('are taken from base64 in lines up to 8 MB', async () => {
    const largest = png(Buffer.alloc(MAX_BYTES - png(Buffer.alloc(0)).length, 'x'));
    expect(largest).toHaveLength(MAX_BYTES);
    expect(await load(file({ base64: wrapped(largest, 64, '\r\n') }))).toEqual(['image/png']);
  });

  it.each(DAMAGED)('are refused as an invalid image when they are %s', async (_, format, bytes) => {
    const code = format === 'application/pdf' ? 'UNSUPPORTED_EVIDENCE_IMAGE_FORMAT' : 'INVALID_EVIDENCE_IMAGE';
    expect(await load(inBase64(bytes))).toBe(code);
  });

  it('are refused when the file at a URL is too large', async () => {
    expect(await load(file({ url: 'https://files.test/large' }))).toBe('INVALID_EVIDENCE_IMAGE');
  });

  it('are not fetched when another file is invalid', async () => {
    fetchedUrls.splice(0);
    const good = file({ url: 'https://files.test/a' });
    expect(await load(good, file({ base64: '?' }))).toBe('INVALID_EVIDENCE_IMAGE');
    expect(await load(good, file({ url: 'http://files.test/a' }))).toBe('EVIDENCE_URL_NOT_ALLOWED');
    expect(await load(good, file({ url: 'https://files.test/a?Expires=1' }))).toBe('EVIDENCE_URL_EXPIRED');
    expect(fetchedUrls).toEqual([]);
  });
});
