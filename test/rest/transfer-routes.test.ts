import { type Edge, QUOTE_ID, startEdge, WALLET } from './edge';

let edge: Edge;
const seen: Record<string, unknown>[] = [];
const TRANSFER = { id: QUOTE_ID, chainId: 8453, transactionData: [], bytecode: [] };
const recordTransfer = (args: Record<string, unknown>) => {
  seen.push(args);
  return TRANSFER;
};

beforeAll(async () => {
  edge = await startEdge({ roots: { 'Query.transfer': recordTransfer, 'Mutation.createTransfer': recordTransfer } });
});
beforeEach(() => seen.splice(0));
afterAll(() => edge.close());

const post = (body: unknown) =>
  edge.fetch('/transfer/bytecode', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('a transfer', () => {
  it('accepts the same names in a body and in a query', async () => {
    const posted = await post({ chainId: 8453, originAddress: WALLET });
    expect(await posted.json()).toEqual(TRANSFER);
    const got = await edge.fetch(`/transfer/bytecode?chainId=8453&originAddress=${WALLET}`);
    expect(await got.json()).toEqual(TRANSFER);
    const args = { originAddress: WALLET };
    expect(seen).toEqual([expect.objectContaining(args), expect.objectContaining(args)]);
    expect(seen.map(({ chainId }) => String(chainId))).toEqual(['8453', '8453']);
  });

  it('accepts the deprecated names of its wallets, and marks the response as deprecated', async () => {
    for (const response of [
      await post({ chainId: 8453, walletOrigin: WALLET }),
      await edge.fetch(`/transfer/bytecode?chainId=8453&walletOrigin=${WALLET}`),
    ]) {
      expect(response.status).toBe(200);
      expect(response.headers.get('deprecation')).toMatch(/^@[0-9]+$/);
      expect(response.headers.get('x-deprecated-parameters')).toBe('walletOrigin');
      expect(response.headers.get('x-ignored-parameters')).toBeNull();
    }
    expect(
      (await post({ chainId: 8453, originAddress: WALLET, walletOrigin: null })).headers.get('deprecation'),
    ).toBeNull();
  });

  it('refuses HEAD and prefetching and is not cached, because its GET writes', async () => {
    const path = `/transfer/bytecode?chainId=8453&originAddress=${WALLET}`;
    expect((await edge.fetch(path)).headers.get('cache-control')).toBe('no-store');
    seen.splice(0);
    expect((await edge.fetch(path, { method: 'HEAD' })).status).toBe(405);
    expect((await edge.fetch(path, { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(422);
    expect(seen).toEqual([]);
  });

  it.each([
    ['userOperation', { userOperation: null }],
    ['instructions', { lutsByAddress: null }],
    ['custody', {}],
  ])('keeps the null that the contract shows for output=%s', async (output, nulls) => {
    expect(await (await post({ chainId: 8453, output })).json()).toEqual({ ...TRANSFER, ...nulls });
  });
});
