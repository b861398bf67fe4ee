import { describedPosition, describedTokens } from '../../../test/portfolio/described-tokens';
import { worthOf } from './read-wallet-tokens';

describe('the value of tokens', () => {
  const [one, other] = [describedPosition(1, 7n), describedPosition(2, 5n)];

  it('counts chains that could not be read, with the last known tokens or without', () => {
    expect(worthOf(describedTokens([one, other]))).toMatchObject({ usd: 12_000_000n, unread: 0 });
    expect(worthOf(describedTokens([one, { ...other, stale: true }], [2, 3]))).toMatchObject({ unread: 2 });
    expect(worthOf(describedTokens([one, { ...other, stale: true }]))).toMatchObject({ unread: 1 });
  });

  it('is 0 for an empty wallet, and does not exist when nothing could be read', () => {
    expect(worthOf(describedTokens([]))).toMatchObject({ usd: 0n, unread: 0 });
    expect(worthOf(describedTokens([], [1]))).toBeUndefined();
  });
});
