import { serviceError } from '../errors/service-error';
import { parsePixKey } from './pix-key';
import { parseDecimal } from '../money/decimal';

/** The fields of a Pix BR Code. */
export interface BrCode {
  /** A static code contains a Pix key, a dynamic one the URL of a charge. */
  readonly kind: 'static' | 'dynamic';
  /** In the form of the central bank's directory; unchanged when it is not a valid key. */
  readonly pixKey: string | undefined;
  /** Without the scheme. */
  readonly url: string | undefined;
  /** In cents; `undefined` when the payer chooses. */
  readonly amount: bigint | undefined;
  readonly merchantName: string;
  readonly merchantCity: string;
  readonly transactionId: string | undefined;
}

type Fields = ReadonlyMap<string, string>;

const START = '000201';
const PIX = 'br.gov.bcb.pix';
const MAX_LENGTH = 512;
const CRC_FIELD = '6304';
const CRC_LENGTH = 4;

/** True for a Pix key that has to be parsed as a BR Code. */
export const looksLikeBrCode = (text: string): boolean => text.startsWith(START);

/**
 * Reads a BR Code, static or dynamic.
 *
 * @throws INVALID_PIX_BRCODE_FORMAT
 * @see https://www.bcb.gov.br/content/estabilidadefinanceira/pix/Regulamento_Pix/II_ManualdePadroesparaIniciacaodoPix.pdf
 */
export function parseBrCode(text: string): BrCode {
  if (text.length > MAX_LENGTH) throw malformed('it is too long');
  checkCrc(text);
  const fields = readFields(text);
  const account = readFields(accountOf(fields));
  const [pixKey, url] = [keyOf(account.get('01')), account.get('25')];
  if ((pixKey === undefined) === (url === undefined)) throw malformed('it must contain either a key or a charge');
  requireField(fields, { id: '00', value: '01', reason: 'its version is not supported' });
  requireField(fields, { id: '53', value: '986', reason: 'its currency is not BRL' });
  requireField(fields, { id: '58', value: 'BR', reason: 'its country is not Brazil' });
  return {
    kind: pixKey === undefined ? 'dynamic' : 'static',
    pixKey,
    url,
    amount: amountOf(fields.get('54')),
    merchantName: requireText(fields, '59', 'the name of the recipient'),
    merchantCity: requireText(fields, '60', 'the city of the recipient'),
    transactionId: transactionIdOf(fields.get('62')),
  };
}

const keyOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : (parsePixKey(text)?.key ?? text);

const malformed = (reason: string) => serviceError('INVALID_PIX_BRCODE_FORMAT', { reason });

function checkCrc(text: string): void {
  const body = text.slice(0, -CRC_LENGTH);
  if (!body.endsWith(CRC_FIELD)) throw malformed('it does not end with its checksum');
  if (crc16(body) !== text.slice(-CRC_LENGTH)) throw malformed('its checksum is wrong');
}

/** CRC-16/CCITT-FALSE over the UTF-8 bytes, as four upper-case hexadecimal digits. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** Reads consecutive fields: two digits of id, two of length, the value. */
function readFields(text: string): Fields {
  const fields = new Map<string, string>();
  for (let at = 0; at < text.length;) {
    const [id, length] = [text.slice(at, at + 2), text.slice(at + 2, at + 4)];
    if (!/^\d{2}$/.test(id) || !/^\d{2}$/.test(length)) throw malformed('a field has no id or length');
    const end = at + 4 + Number.parseInt(length, 10);
    if (end > text.length) throw malformed('a field is shorter than its length');
    if (fields.has(id)) throw malformed('a field occurs twice');
    fields.set(id, text.slice(at + 4, end));
    at = end;
  }
  return fields;
}

/** The Pix account: the field from 26 to 51 that contains the Pix domain name. */
function accountOf(fields: Fields): string {
  for (let id = 26; id <= 51; id++) {
    const account = fields.get(String(id));
    if (account !== undefined && account.slice(4, 18).toLowerCase() === PIX) return account;
  }
  throw malformed('it has no Pix account');
}

interface RequiredField {
  readonly id: string;
  readonly value: string;
  readonly reason: string;
}

function requireField(fields: Fields, { id, value, reason }: RequiredField): void {
  if (fields.get(id) !== value) throw malformed(reason);
}

function requireText(fields: Fields, id: string, description: string): string {
  const value = fields.get(id);
  if (value === undefined || value === '') throw malformed(`${description} is missing`);
  return value;
}

function amountOf(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const isAmount = /^\d{1,10}(?:\.\d{1,2})?$/.test(text);
  const cents = isAmount ? parseDecimal(text, { decimals: 2, rounding: 'down' }) : undefined;
  if (cents === undefined) throw malformed('its amount is not a decimal');
  return cents === 0n ? undefined : cents; // zero means that the payer chooses
}

function transactionIdOf(additional: string | undefined): string | undefined {
  const id = additional === undefined ? undefined : readFields(additional).get('05');
  return id === '***' ? undefined : id;
}
