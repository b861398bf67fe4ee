import { describedPosition, describedTokens } from '../../../test/portfolio/described-tokens';
import { walletTokensWorth as worthWith } from './read-wallet-tokens';
import type { WalletTokens } from './wallet-tokens';

const worthOf = (tokens: WalletTokens) => worthWith(tokens, new Set());

describe('the value of tokens', () => {
  const [one, other] = [describedPosition(1, 7n), describedPosition(2, 5n)];

  it('counts chains that could not be read, with the last known tokens or without', () => {
    expect(worthOf(describedTokens([one, other]))).toMatchObject({ usd: 12_000_000n, unread: 0 });
    expect(worthOf(describedTokens([one, { ...other, stale: true }], [2, 3]))).toMatchObject({ unread: 2 });
    expect(worthOf(describedTokens([one, { ...other, stale: true }]))).toMatchObject({ unread: 1 });
  });

  it('contains tokens that stand for positions in strategies, which count apart from them', () => {
    const [shown, hidden] = [describedPosition(3, 100n), describedPosition(4, 1000n, { isHidden: true })];
    const tokens = {
      ...describedTokens([one, other, shown]),
      positions: [one, other, shown, hidden],
      totalBrl: 560_000_000n,
    };
    const receipts = new Set([shown.id, hidden.id]);
    expect(worthWith(tokens, receipts)).toMatchObject({
      usd: 112_000_000n,
      brl: 560_000_000n,
      apart: { usd: 12_000_000n, brl: 60_000_000n },
    });
    expect(worthWith(tokens, undefined)).toMatchObject({ usd: 112_000_000n, apart: undefined });
  });

  it('counts a token without a price apart, unless a position stands for it', () => {
    const [share, token] = [3, 4].map((chainId) => describedPosition(chainId, 0n, { valueUsd: undefined }));
    const tokens = describedTokens([one, share!, token!, { ...share!, id: 'hidden', isHidden: true }]);
    expect(worthWith(tokens, new Set([share!.id]))).toMatchObject({ unpriced: 2, apart: { unpriced: 1 } });
  });

  it('is 0 for an empty wallet, and does not exist when nothing could be read', () => {
    expect(worthOf(describedTokens([]))).toMatchObject({ usd: 0n, unread: 0 });
    expect(worthOf(describedTokens([], [1]))).toBeUndefined();
  });
});
