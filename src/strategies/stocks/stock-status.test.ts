import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import { createStockStatus } from './stock-status';

const strategy = sampleStrategy('tokenized-stock');

function countedStatus() {
  const calls = { issuer: 0, book: 0 };
  let time = 0;
  const status = createStockStatus({
    issuer: {
      softPrice: () => Promise.resolve(BigInt((calls.issuer += 1)) * 10n ** 18n),
      attestedPrice: () => Promise.reject(new Error('a status takes no signed price')),
    },
    book: {
      quote: () => Promise.resolve({ id: undefined, buyAmount: BigInt((calls.book += 1)) }),
      post: () => Promise.resolve(undefined),
      has: () => Promise.resolve(true),
      settlements: () => Promise.resolve([]),
    },
    now: () => time,
  });
  return { calls, status, wait: (ms: number) => (time += ms) };
}

it('requests issuer and order book once for all status requests of ten seconds', async () => {
  const { calls, status, wait } = countedStatus();
  const views = await Promise.all([1, 2, 3].map(() => status.read(strategy)));
  wait(9_999);
  views.push(await status.read(strategy));
  expect(new Set(views.map(({ livePrice }) => livePrice))).toEqual(new Set([10n ** 18n]));
  expect(calls).toEqual({ issuer: 1, book: 2 });
  wait(1);
  expect(await status.read(strategy)).toMatchObject({ livePrice: 2n * 10n ** 18n });
  expect(calls).toEqual({ issuer: 2, book: 4 });
});

it('probes the order book with no wallet of those who request the status', async () => {
  const wallets = new Set<string>();
  const refuse = () => Promise.reject(new Error('closed'));
  const book = {
    quote: ({ from }: { readonly from: string }) => {
      wallets.add(from);
      return Promise.resolve({ id: undefined, buyAmount: 1n });
    },
    post: () => Promise.resolve(undefined),
    has: () => Promise.resolve(true),
    settlements: () => Promise.resolve([]),
  };
  await createStockStatus({ issuer: { softPrice: refuse, attestedPrice: refuse }, book }).read(strategy);
  expect([...wallets]).toEqual(['0x000000000000000000000000000000000000dEaD']);
});

it('reads each stock by itself', async () => {
  const { calls, status } = countedStatus();
  await status.read(strategy);
  await status.read({ ...strategy, row: { ...strategy.row, id: 'Other' } });
  expect(calls.issuer).toBe(2);
});

it('has no price while the issuer refuses one, and still the state of the order book', async () => {
  const refuse = () => Promise.reject(new Error('closed'));
  const book = {
    quote: () => Promise.resolve({ code: 'NoLiquidity', message: 'none', mayRetry: true }),
    post: () => Promise.resolve(undefined),
    has: () => Promise.resolve(true),
    settlements: () => Promise.resolve([]),
  };
  const status = createStockStatus({ issuer: { softPrice: refuse, attestedPrice: refuse }, book });
  expect(await status.read(strategy)).toMatchObject({
    livePrice: undefined,
    orderBook: { requestLend: { canOpenOrder: false, errorType: 'NoLiquidity' } },
  });
});
