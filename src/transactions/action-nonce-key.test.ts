import fc from 'fast-check';
import { actionIdOfNonce, nonceKeyOf } from './action-nonce-key';

const SEQUENCES = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

describe('the nonce of a user operation', () => {
  it('contains the id of its action, whatever its sequence', () => {
    fc.assert(
      fc.property(fc.uuid(), SEQUENCES, (actionId, sequence) => {
        expect(actionIdOfNonce((nonceKeyOf(actionId) << 64n) | sequence)).toBe(actionId);
      }),
    );
  });

  it('contains no id when its key is longer than one', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 128n, max: 2n ** 192n - 1n }), SEQUENCES, (key, sequence) => {
        expect(actionIdOfNonce((key << 64n) | sequence)).toBeUndefined();
      }),
    );
  });
});
