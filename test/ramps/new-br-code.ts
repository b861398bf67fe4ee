import { crc16 } from '../../src/ramps/br-code';

export interface Charge {
  readonly pixKey: string;
  /** Address of a dynamic charge. It replaces the key. */
  readonly url?: string;
  /** Absent when the payer chooses the amount. */
  readonly cents?: bigint;
}

const field = (id: string, value: string): string => `${id}${String(value.length).padStart(2, '0')}${value}`;

const amountOf = (cents: bigint): string => `${String(cents / 100n)}.${String(cents % 100n).padStart(2, '0')}`;

/** A BR Code with a valid checksum. */
export function newBrCode({ pixKey, url, cents }: Charge): string {
  const account = url === undefined ? field('01', pixKey) : field('25', url);
  const body = [
    ...[field('00', '01'), field('26', field('00', 'br.gov.bcb.pix') + account), field('52', '0000')],
    ...[field('53', '986'), cents === undefined ? '' : field('54', amountOf(cents)), field('58', 'BR')],
    ...[field('59', 'ANA LIMA'), field('60', 'SAO PAULO'), field('62', field('05', '***')), '6304'],
  ].join('');
  return body + crc16(body);
}
