import { newCustomer } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import type { CustomerId } from '../../auth/principal';
import { NATIVE_TOKEN } from '../../chains/addresses';
import { createChainTable } from '../../chains/chain-table';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import type { TokenInspector } from '../../tokens/token-registry';
import { findPinnedTokens, MAX_PINNED_TOKENS, type PinDeps, pinToken, unpinToken } from './pinned-tokens';

const WALLET = '0x00000000000000000000000000000000000A11cE';
const BLOCKED = '0x000000000000000000000000000000000000dEaD';
const SOLANA_WALLET = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const NO_TOKEN = '0x0000000000000000000000000000000000000077';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** Every address but one has a token. */
const tokens: Pick<TokenInspector, 'inspect'> = {
  inspect: ({ chainId }, address) =>
    Promise.resolve(
      address === NO_TOKEN
        ? undefined
        : {
            token: { chainId, address, symbol: 'T', name: 'T', decimals: 6, logoURI: undefined },
            isListed: false,
            flaws: [],
          },
    ),
};
/** Serves Base alone. */
const rpc: PinDeps['rpc'] = {
  serves: (chainId) => chainId === 8453,
  request: () => Promise.reject(new Error('no call')),
};
const deps = () => ({
  database: test.database,
  chains: createChainTable(KNOWN_CHAINS),
  rpc,
  tokens,
  blockedAddresses: new Set([BLOCKED]),
});
const tokenAt = (index: number): string => `0x${(index + 0x1000).toString(16).padStart(40, '0')}`;
const pin = (customerId: CustomerId, token = tokenAt(0), change: { wallet?: string; chainId?: number } = {}) =>
  pinToken(deps(), { customerId, wallet: WALLET, chainId: 8453, token, ...change });
const pinned = async (customerId: CustomerId, wallet = WALLET) =>
  (await findPinnedTokens(deps(), { customerId, wallets: [wallet] }))[0]!;

describe('pinned tokens', () => {
  it('belong to one customer and one wallet, and register the wallet', async () => {
    const [one, other] = [newCustomer(), newCustomer()];
    await pin(one);
    expect(await pinned(one)).toEqual([{ chainId: 8453, token: tokenAt(0), pinnedAt: expect.any(Date) }]);
    expect(await pinned(other)).toEqual([]);
    expect(await pinned(one, BLOCKED)).toEqual([]);
    expect(await test.database.customerWallet.count({ where: { customerId: one, address: WALLET } })).toBe(1);
    expect(await unpinToken(deps(), { customerId: other, wallet: WALLET, chainId: 8453, token: tokenAt(0) })).toBe(
      false,
    );
    expect(await pinned(one)).toHaveLength(1);
    expect(await unpinToken(deps(), { customerId: one, wallet: WALLET, chainId: 8453, token: tokenAt(0) })).toBe(true);
    expect(await pinned(one)).toEqual([]);
  });

  it('are pinned once, however often it is requested', async () => {
    const customerId = newCustomer();
    const first = await pin(customerId);
    expect(await Promise.all(Array.from({ length: 8 }, () => pin(customerId)))).toEqual(Array(8).fill(first));
    expect(await pinned(customerId)).toEqual([first]);
  });

  it('are at most 100 for a wallet, also under concurrent requests', async () => {
    const customerId = newCustomer();
    const data = Array.from({ length: MAX_PINNED_TOKENS - 2 }, (_, index) => ({
      customerId,
      wallet: WALLET,
      chainId: 8453n,
      token: tokenAt(index),
    }));
    await test.database.pinnedToken.createMany({ data });
    const attempts = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => pin(customerId, tokenAt(MAX_PINNED_TOKENS + index))),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    for (const attempt of attempts) {
      if (attempt.status === 'rejected')
        expect(attempt.reason).toMatchObject({ code: 'PINNED_TOKEN_LIMIT_REACHED', status: 409 });
    }
    expect(await pinned(customerId)).toHaveLength(MAX_PINNED_TOKENS);
    // One that is pinned already can be pinned again, and another wallet has a limit of its own.
    await pin(customerId, tokenAt(0));
    await pin(customerId, tokenAt(0), { wallet: NO_TOKEN });
  });

  it.each<[string, { token?: string; wallet?: string; chainId?: number }, string]>([
    ['of an unknown chain', { chainId: 999_999 }, 'chainId'],
    ['of a chain with other addresses', { wallet: SOLANA_WALLET }, 'chainId'],
    ['of a chain that is not served', { chainId: 1 }, 'chainId'],
    ['of bank money', { chainId: 0 }, 'chainId'],
    ['with a malformed address', { token: 'USDC' }, 'token'],
    ['with a wrong checksum', { token: '0x00000000000000000000000000000000000A11Ce' }, 'token'],
    ['that is the native coin', { token: NATIVE_TOKEN }, 'token'],
    ['that is no token', { token: NO_TOKEN }, 'token'],
  ])('%s are refused with the field at fault', async (_, { token, ...change }, path) => {
    const customerId = newCustomer();
    await expect(pin(customerId, token, change)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path, message: expect.any(String) }] },
    });
    expect(await pinned(customerId)).toEqual([]);
  });

  it('can be unpinned when their chain is no longer served', async () => {
    const customerId = newCustomer();
    const token = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    const key = { customerId, wallet: SOLANA_WALLET, chainId: 999_999, token };
    await test.database.pinnedToken.create({ data: { ...key, chainId: 999_999n } });
    expect(await unpinToken(deps(), { ...key, chainId: 1 })).toBe(false);
    expect(await unpinToken(deps(), key)).toBe(true);
    await expect(unpinToken(deps(), { ...key, token: 'USDC' })).rejects.toMatchObject({
      details: { errors: [{ path: 'token' }] },
    });
  });

  it('are refused for blocked wallets and tokens', async () => {
    const customerId = newCustomer();
    await expect(pin(customerId, tokenAt(0), { wallet: BLOCKED })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(pin(customerId, BLOCKED)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const request = { customerId, wallet: BLOCKED, chainId: 8453, token: tokenAt(0) };
    await expect(unpinToken(deps(), request)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
