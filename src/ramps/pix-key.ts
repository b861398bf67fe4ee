import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { isCnpj, isCpf } from './tax-id';

/** A Pix key in the form of the central bank's directory. */
export interface PixKey {
  readonly kind: 'CPF' | 'CNPJ' | 'EMAIL' | 'PHONE' | 'EVP';
  readonly key: string;
}

const MAX_EMAIL_LENGTH = 77;
const EMAIL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MAX_LENGTH = 100;

/**
 * Parses a Pix key in its usual notations: CPF and CNPJ (numeric and alphanumeric) with or without punctuation, e-mail in any
 * case, telephone with `+55`, random key. Eleven digits are a CPF: a telephone
 * number needs its `+`.
 *
 * `undefined` for any other text.
 */
export function parsePixKey(text: string): PixKey | undefined {
  const trimmed = text.trim();
  if (trimmed.length === 0 || trimmed.length > MAX_LENGTH) return undefined;
  if (trimmed.includes('@')) return parseEmail(trimmed.toLowerCase());
  if (trimmed.startsWith('+')) return parsePhone(trimmed);
  const lower = trimmed.toLowerCase();
  return UUID.test(lower) ? { kind: 'EVP', key: lower } : parseTaxId(trimmed.toUpperCase());
}

const parseEmail = (text: string): PixKey | undefined =>
  text.length <= MAX_EMAIL_LENGTH && EMAIL.test(text) ? { kind: 'EMAIL', key: text } : undefined;

function parsePhone(text: string): PixKey | undefined {
  const phone = parsePhoneNumberFromString(text);
  return phone?.country === 'BR' && phone.isValid() ? { kind: 'PHONE', key: phone.number } : undefined;
}

function parseTaxId(text: string): PixKey | undefined {
  const bare = text.replace(/[.\-/ ]/g, '');
  if (/^\d{11}$/.test(bare)) return isCpf(bare) ? { kind: 'CPF', key: bare } : undefined;
  return isCnpj(bare) ? { kind: 'CNPJ', key: bare } : undefined;
}

/** A CPF without punctuation; `undefined` when the check digits are wrong. */
export function parseCpf(text: string): string | undefined {
  const key = parsePixKey(text);
  return key?.kind === 'CPF' ? key.key : undefined;
}
