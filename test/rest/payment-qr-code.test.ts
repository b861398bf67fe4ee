import { type Edge, QUOTE_ID, startEdge } from './edge';

const TOKEN = '0f'.repeat(16);
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
const PATH = `/payments/${QUOTE_ID}/${TOKEN}.png`;

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({
    paymentQrCode: (actionId, token) => Promise.resolve(actionId === QUOTE_ID && token === TOKEN ? PNG : undefined),
  });
});
afterAll(() => edge.close());

/** Without credentials, like an image on a web page. */
const get = (path: string, method = 'GET') => fetch(edge.url + path, { method });

describe('the QR code of a payment', () => {
  it('is a PNG that requires only its path, cached privately for one minute', async () => {
    const response = await get(PATH);
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=60',
      'content-length': '4',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cross-origin-resource-policy': 'cross-origin',
    });
    const head = await get(PATH, 'HEAD');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '4', '']);
  });

  it.each([
    ['another token', PATH.replace('0f.png', 'ff.png')],
    ['another action', PATH.replace('8057', '8058')],
    ['no extension', PATH.replace('.png', '')],
    ['another extension', PATH.replace('.png', '.svg')],
    ['two extensions', `${PATH}.png`],
    ['no token', `/payments/${QUOTE_ID}/.png`],
    ['a zero byte', `/payments/%00/${TOKEN}.png`],
  ])('is not found with %s', async (_, path) => {
    const response = await get(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(response.headers.get('cache-control')).not.toContain('max-age');
  });

  it('is charged to the address, and its path is not logged', async () => {
    const before = edge.charges.length;
    await get(PATH);
    expect(edge.charges.slice(before)).toEqual([{ subject: { kind: 'address', address: '127.0.0.1' }, cost: 1 }]);
    while (edge.log.every(({ route }) => route !== '/payments/:actionId/:token.png')) await new Promise(setImmediate);
    expect(JSON.stringify(edge.log)).not.toContain(TOKEN);
  });
});
