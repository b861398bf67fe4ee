const SEQUENCE_BITS = 64n;
const MAX_ACTION_ID = 2n ** 128n - 1n;

/** The nonce key of the user operations that are built for an action: its id. */
export const nonceKeyOf = (actionId: string): bigint => BigInt(`0x${actionId.replaceAll('-', '')}`);

/**
 * The nonce's key as an id. An operation that was built for an action has the id of that action. `undefined` for a key that is
 * longer than an id.
 *
 * @see https://eips.ethereum.org/EIPS/eip-4337#semi-abstracted-nonce-support
 */
export function actionIdOfNonce(nonce: bigint): string | undefined {
  const key = nonce >> SEQUENCE_BITS;
  if (key > MAX_ACTION_ID) return undefined;
  const hex = key.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
