import { concatHex, type Hex, keccak256 } from 'viem';
import { privateKeyToAddress, sign } from 'viem/accounts';

/** Signs messages with all keys, in the order of their addresses, as the MessageTransmitter requires. */
export function createAttester(keys: readonly Hex[]): (message: Hex) => Promise<Hex> {
  const ordered = keys
    .map((privateKey) => ({ privateKey, address: BigInt(privateKeyToAddress(privateKey)) }))
    .sort((one, other) => (one.address < other.address ? -1 : 1));
  return async (message) => {
    const hash = keccak256(message);
    return concatHex(await Promise.all(ordered.map(({ privateKey }) => sign({ hash, privateKey, to: 'hex' }))));
  };
}
