import { ALICE, createSampleAction, newCustomer, sampleToken } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import type { CustomerId } from '../../auth/principal';
import type { ActionPlan } from '../../transactions/action-plan';
import { createActionTokens } from './action-tokens';

const BOB = '0x0000000000000000000000000000000000000B0b';
const [A, B, C] = ['0xa', '0xb', '0xc'].map((start) => start.padEnd(42, '0'));

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

async function swap(
  customerId: CustomerId,
  [tokenIn, tokenOut]: readonly [string, string],
  plan: Partial<ActionPlan> = {},
) {
  const sides = { tokenIn: sampleToken('I', { address: tokenIn }), tokenOut: sampleToken('O', { address: tokenOut }) };
  await createSampleAction(test.database, { customerId, ...sides, ...plan, calls: [] });
}
const find = (customerId: CustomerId, wallets: readonly string[], limit = 100) =>
  createActionTokens({ database: test.database }).tokensOf({ customerId, wallets, limit });

describe('tokens of the actions of a wallet', () => {
  it('are the assets in and out of both sides, on their chains, the most recent first and each once', async () => {
    const customerId = newCustomer();
    await swap(customerId, [A!, B!]);
    await swap(customerId, [A!, C!], { receiverAddress: BOB, chainIdOut: 31338 });
    const found = await find(customerId, [ALICE, BOB]);
    expect(found.get(BOB)).toEqual({
      tokens: [
        { chainId: 31337, token: A },
        { chainId: 31338, token: C },
      ],
      isTruncated: false,
    });
    const { tokens } = found.get(ALICE)!;
    expect(tokens).toHaveLength(3);
    expect(tokens.slice(0, 2)).toEqual(found.get(BOB)!.tokens);
    expect(tokens[2]).toEqual({ chainId: 31337, token: B });
  });

  it('are never those of another customer, and not those of drafts', async () => {
    const [one, other] = [newCustomer(), newCustomer()];
    await swap(one, [A!, B!]);
    await swap(other, [C!, C!], { isDraft: true });
    expect(await find(other, [ALICE])).toEqual(new Map());
    expect((await find(one, [ALICE])).get(ALICE)!.tokens).toHaveLength(2);
  });

  it('are at most as many as the query says', async () => {
    const customerId = newCustomer();
    await swap(customerId, [A!, B!]);
    await swap(customerId, [A!, C!]);
    const found = await find(customerId, [ALICE], 2);
    expect(found.get(ALICE)).toEqual({
      tokens: [
        { chainId: 31337, token: A },
        { chainId: 31337, token: C },
      ],
      isTruncated: true,
    });
    expect((await find(customerId, [ALICE], 3)).get(ALICE)).toMatchObject({ isTruncated: false });
    expect(await find(customerId, [])).toEqual(new Map());
  });

  it('are those of fewer actions when a page has many wallets, which the wallet reports', async () => {
    const customerId = newCustomer();
    await swap(customerId, [A!, B!]);
    await swap(customerId, [C!, C!]);
    // 4,000 actions of all wallets together: one of each.
    const wallets = [ALICE, ...Array.from({ length: 3999 }, (_, index) => `wallet ${index}`)];
    expect((await find(customerId, wallets)).get(ALICE)).toEqual({
      tokens: [{ chainId: 31337, token: C }],
      isTruncated: true,
    });
  });
});
