import { ALICE, BOB, devnet, ETH, USDC } from '../../../test/swaps/swap-world';
import { serviceError } from '../../errors/service-error';
import { explainTransferRevert, problemFromRevert, type RevertedTransfer } from './explain-transfer-revert';

const refused = (changes: Partial<RevertedTransfer> = {}): RevertedTransfer => ({
  chainId: devnet.chainId,
  token: USDC.address,
  sender: ALICE,
  recipient: BOB,
  reason: 'custom error 0x12345678',
  signal: AbortSignal.timeout(1000),
  ...changes,
});
/** A chain with these results: paused, then four lists for the sender and four for the recipient. */
const telling = (results: readonly (boolean | undefined)[]) => ({
  multicall: () => Promise.resolve(results as never),
});
const none = Array.from({ length: 9 }, () => undefined);
const listed = (position: number) => telling(none.map((_, index) => index === position));

describe('the reason of a reverted transfer', () => {
  it.each([
    ['the token is paused', 0, 'TOKEN_PAUSED', 'paused'],
    ['the sender is on a list', 1, 'ADDRESS_BLOCKED', 'the sender'],
    ['the sender is on another list', 4, 'ADDRESS_BLOCKED', 'the sender'],
    ['the recipient is on a list', 5, 'ADDRESS_BLOCKED', 'the recipient'],
    ['the recipient is on another list', 8, 'ADDRESS_BLOCKED', 'the recipient'],
  ])('is the restriction that the token reports on chain: %s', async (...[, position, kind, words]) => {
    const flaw = await explainTransferRevert(listed(position), refused());
    expect(flaw).toEqual({ kind, reason: expect.stringContaining(words) });
  });

  it.each([
    ['Pausable: paused', 'TOKEN_PAUSED'],
    ['EnforcedPause', 'TOKEN_PAUSED'],
    ['Blacklistable: account is blacklisted', 'ADDRESS_BLOCKED'],
    ['account is frozen', 'ADDRESS_BLOCKED'],
    ['ERC20: transfer amount exceeds balance', 'INSUFFICIENT_BALANCE'],
    ['reverted without a reason', 'REVERTED'],
    ['a pauseless thing', 'REVERTED'],
  ])('is derived from the revert reason without such a restriction: %s', async (reason, kind) => {
    const expected = { kind, reason: `it would revert: ${reason}` };
    expect(problemFromRevert(reason)).toEqual(expected);
    expect(await explainTransferRevert(telling(none), refused({ reason }))).toEqual(expected);
  });

  it('is derived from the revert reason for the native coin and on an unavailable chain', async () => {
    const deaf = {
      multicall: () => Promise.reject(serviceError('PROVIDER_UNAVAILABLE', { provider: 'a', reason: 'b' })),
    };
    expect(await explainTransferRevert(deaf, refused())).toMatchObject({ kind: 'REVERTED' });
    const mustNotBeCalled = { multicall: () => Promise.reject(new TypeError('asked')) };
    expect(await explainTransferRevert(mustNotBeCalled, refused({ token: ETH.address }))).toMatchObject({
      kind: 'REVERTED',
    });
    await expect(explainTransferRevert(mustNotBeCalled, refused())).rejects.toThrow(TypeError);
  });
});
