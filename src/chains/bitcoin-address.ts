import { Address, NETWORK } from '@scure/btc-signer';

/** Longest that an address may be: bech32 allows 90 characters. */
const MAX_LENGTH = 90;
/** The network of a local chain. Nobody owns such an address by mistake: on Bitcoin itself nothing can pay to it. */
const LOCAL_NETWORK = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef };

/**
 * Reads an address of Bitcoin: base58 or bech32, with a valid checksum. Bech32 is returned in lower case; `undefined`
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
