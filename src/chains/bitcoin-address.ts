import { Address, NETWORK } from '@scure/btc-signer';

/** Maximum length of a bech32 address. */
const MAX_LENGTH = 90;
/** The network of a local chain. Its addresses are invalid on Bitcoin itself, so accepting them is harmless. */
const LOCAL_NETWORK = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef };

/**
 * Parses a Bitcoin address: base58 or bech32, with a valid checksum. Bech32 is returned in lower case; `undefined`
 * when it is not an address.
 */
export function parseBitcoinAddress(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const isBech32 = /^(?:bc|bcrt)1/i.test(text);
  const canonical = isBech32 && text === text.toUpperCase() ? text.toLowerCase() : text;
  const network = canonical.startsWith('bcrt1') ? LOCAL_NETWORK : NETWORK;
  try {
    Address(network).decode(canonical);
    return canonical;
  } catch {
    return undefined;
  }
}
