import type { CustomerId } from '../../auth/principal';
import { type MicroUsd, parseUsd } from '../../money/usd';
import { listHoldingGroups, listHoldings } from './list-holdings';
import type { CustomerHoldings, TokenHolding } from './read-holdings';

const customerId = '0197a3c0-0000-7000-8000-000000000001' as CustomerId;
const { signal } = new AbortController();

const holding = (symbol: string, chainId: number, amounts: { amount: bigint; usd?: string }): TokenHolding => {
  const totalUsd: MicroUsd | undefined = amounts.usd === undefined ? undefined : parseUsd(amounts.usd);
  const token = { chainId, address: `0x${symbol}`, symbol, name: symbol, decimals: 6, logoURI: undefined };
  const wallets = amounts.amount === 0n ? [] : [{ address: '0xwallet', amount: amounts.amount }];
  return { token, totalAmount: amounts.amount, totalUsd, wallets };
};

const HOLDINGS: CustomerHoldings = {
  tokens: [
    holding('USDC', 1, { amount: 5n, usd: '5' }),
    holding('WETH', 1, { amount: 2n, usd: '4.5' }),
    holding('USDC', 10, { amount: 1n, usd: '0.25' }),
    holding('ODD', 1, { amount: 7n }),
    holding('ODD', 10, { amount: 0n, usd: '0' }),
    holding('DAI', 1, { amount: 0n, usd: '0' }),
  ],
  isComplete: false,
  unavailableChains: ['base'],
};
const read = jest.fn(() => Promise.resolve(HOLDINGS));
beforeEach(() => read.mockClear());
const query = (changes: { id?: string; page?: number; limit?: number } = {}) => ({
  customerId,
  id: customerId,
  signal,
  ...changes,
});

describe('the tokens of a customer', () => {
  it('come in pages, with what could not be read', async () => {
    const page = await listHoldings(read, query({ page: 2, limit: 2 }));
    expect(page.data.map(({ token, totalAmountUSD }) => [token.symbol, token.chainId, totalAmountUSD])).toEqual([
      ['USDC', 10, '0.25'],
      ['ODD', 1, null],
    ]);
    expect(page).toMatchObject({
      pagination: { page: 2, limit: 2, total: 6, totalPages: 3, hasMore: true },
      isComplete: false,
      unavailableChains: ['base'],
    });
  });

  it('are grouped by symbol across chains, the most valuable first', async () => {
    const { data, pagination } = await listHoldingGroups(read, query());
    expect(data.map(({ symbol, totalAmountUSD, tokens }) => [symbol, totalAmountUSD, tokens.length])).toEqual([
      ['USDC', '5.25', 2],
      ['WETH', '4.5', 1],
      ['DAI', '0', 1],
      ['ODD', null, 2], // held without a price: its value is unknown, not 0
    ]);
    expect(pagination.total).toBe(4);
  });

  it('of another customer are not read, whether it exists or not', async () => {
    const foreign = query({ id: '0197a3c0-0000-7000-8000-000000000002' });
    await expect(listHoldings(read, foreign)).rejects.toMatchObject({ code: 'CUSTOMER_NOT_FOUND' });
    await expect(listHoldingGroups(read, foreign)).rejects.toMatchObject({ code: 'CUSTOMER_NOT_FOUND' });
    expect(read).not.toHaveBeenCalled();
  });

  it('are refused with all problems of the page at once', async () => {
    const errors = [{ path: 'page' }, { path: 'limit' }];
    await expect(listHoldings(read, query({ page: 0, limit: 501 }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors },
    });
  });
});
