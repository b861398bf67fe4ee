import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 16;
/** 43 characters of 62 are 256 bits. */
const SECRET_LENGTH = 43;
/** 62^6 is more than 2^32, so every CRC-32 fits. */
const CHECKSUM_LENGTH = 6;
const PREFIX = 'sk_live_';
const KEY = new RegExp(`^(${PREFIX}([0-9A-Za-z]{${ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH}}))([0-9A-Za-z]{6})$`);

/** The two halves of an API key `sk_live_<id>_<secret><checksum>`. */
export interface ApiKey {
  /** Public: identifies the key in lists and lookups. */
  readonly id: string;
  readonly secret: string;
}

/** A new key with 256 random bits of secret. */
export const generateApiKey = (): ApiKey => ({ id: randomText(ID_LENGTH), secret: randomText(SECRET_LENGTH) });

/** The text form of a key, as sent by callers. */
export function formatApiKey({ id, secret }: ApiKey): string {
  const signed = `${apiKeyPrefix(id)}_${secret}`;
  return signed + checksumOf(signed);
}

/** The first characters of the key with this id. Not secret. */
export const apiKeyPrefix = (id: string): string => PREFIX + id;

/**
 * Parses a key; `undefined` when it is malformed or its checksum is wrong. The checksum is a CRC-32, which detects every
 * change of one character and every swap of two neighbours, so a mistyped key causes no lookup.
 */
export function parseApiKey(text: string): ApiKey | undefined {
  const [, signed, id, secret, checksum] = KEY.exec(text) ?? [];
  if (signed === undefined || id === undefined || secret === undefined) return undefined;
  return checksum === checksumOf(signed) ? { id, secret } : undefined;
}

function checksumOf(text: string): string {
  let remaining = crc32(text);
  let digits = '';
  for (let position = 0; position < CHECKSUM_LENGTH; position += 1) {
    digits = ALPHABET.charAt(remaining % ALPHABET.length) + digits;
    remaining = Math.floor(remaining / ALPHABET.length);
  }
  return digits;
}

const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
