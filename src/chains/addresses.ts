import { PublicKey } from '@solana/web3.js';
import { type Address, getAddress } from 'viem';
import { parseBitcoinAddress } from './bitcoin-address';
import type { Chain, ChainKind } from './chain';

/** The customary address of the native coin. The zero address has the same meaning. */
export const NATIVE_TOKEN: Address = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE';
export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';
/** Mint of wrapped SOL, which represents SOL. */
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

/** The fiat currencies, as token literals on the chain `fiat`. */
export const FIAT_CURRENCIES = ['BRL', 'USD'] as const;

const HEX_ADDRESS = /^0x[0-9a-f]{40}$/i;
const BASE58_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Parses an EVM address. Letters of mixed case must match the checksum. Returns the checksummed address, `undefined` for any
 * other text.
 */
export function parseEvmAddress(text: string): Address | undefined {
  if (!HEX_ADDRESS.test(text)) return undefined;
  const digits = text.slice(2);
  const checksummed = getAddress(text.toLowerCase());
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || checksummed.slice(2) === digits ? checksummed : undefined;
}

/** True for a text with the prefix of EVM addresses, well-formed or not: no other kind of address has it. */
export const isMeantAsEvm = (text: string): boolean => /^0x/i.test(text);

/** Why a text that `parseEvmAddress` does not accept is refused. */
export const evmAddressProblem = (text: string): string =>
  HEX_ADDRESS.test(text)
    ? 'has a wrong checksum: a character differs, or the case of one. Compare it with its source; lower case is accepted'
    : 'must be an EVM address: 0x and 40 hexadecimal digits';

/** Parses a Solana public key: base58 of 32 bytes. The length is checked first, since the time of decoding is quadratic. */
export function parseSolanaAddress(text: string): string | undefined {
  if (!BASE58_KEY.test(text)) return undefined;
  try {
    return new PublicKey(text).toBase58();
  } catch {
    return undefined; // base58 of fewer or more than 32 bytes
  }
}

/** Parses an address of one kind of chain; `undefined` for any other text, and always for fiat. */
export function parseAddress(kind: ChainKind, text: string): string | undefined {
  if (kind === 'evm') return parseEvmAddress(text);
  if (kind === 'bitcoin') return parseBitcoinAddress(text);
  return kind === 'solana' ? parseSolanaAddress(text) : undefined;
}

/** The spelling under which equal addresses are equal texts: EVM addresses in lower case, all others as they are. */
export const addressKey = (address: string): string => (isMeantAsEvm(address) ? address.toLowerCase() : address);

/** True when both are the same address. Case matters except in EVM addresses. A missing address equals none. */
export const isSameAddress = (one: string | null | undefined, other: string | null | undefined): boolean =>
  typeof one === 'string' && typeof other === 'string' && addressKey(one) === addressKey(other);

/** True for both spellings of the native coin. */
export const isNativeToken = (token: string): boolean => token === NATIVE_TOKEN || token === ZERO_ADDRESS;

/**
 * The zero address and the precompiles, below 2^16. Some routers give them a meaning: for Uniswap's SwapRouter02 the
 * recipient 0x…02 leaves the tokens in the router, where any caller can take them.
 */
const RESERVED = /^0x0{36}/;
/** Customary addresses for burning tokens, in lower case. */
const BURNING: ReadonlySet<string> = new Set([
  '0xdead000000000000000000000000000000000000',
  '0xdead000000000000000042069420694206942069',
]);
/** Programs, sysvars and the incinerator of Solana have keys that end like this. */
const SYSTEM_KEY = /^[^0].*1{10}$/;
/** The other programs that every Solana chain has: tokens, their accounts, memos. */
const PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]);

/**
 * Why an address has no private key, so that tokens sent to it are lost; `undefined` for any other address. The address is
 * checksummed or a Solana public key.
 */
export function unownedAddressProblem(address: string): string | undefined {
  if (address === NATIVE_TOKEN) return 'is the marker of the native coin, not a wallet';
  if (RESERVED.test(address)) return 'is a reserved address, not a wallet';
  if (BURNING.has(address.toLowerCase())) return 'is an address for burning tokens, not a wallet';
  const isProgram = PROGRAMS.has(address) || SYSTEM_KEY.test(address);
  return isProgram ? 'is a program or system account of Solana, not a wallet' : undefined;
}

/** True for addresses without an owner, where sent tokens are lost. The address is checksummed or a Solana public key. */
export const isUnownedAddress = (address: string): boolean => unownedAddressProblem(address) !== undefined;

/** The ERC-20 that trades for a token in pools: the wrapper for the native coin, else the token itself. */
export function tradedToken(chain: Chain, token: Address): Address | undefined {
  return isNativeToken(token) ? chain.wrappedNative : token;
}
