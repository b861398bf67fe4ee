/** A Pix BR Code for a charge, as receivers' banks make them. */
export interface Charge {
  readonly pixKey: string;
  /** `100.00` */
  readonly amount: string;
  /** Up to 25 letters and digits. */
  readonly transactionId: string;
}

export function brCodeOf({ pixKey, amount, transactionId }: Charge): string {
  const account = field('00', 'br.gov.bcb.pix') + field('01', pixKey);
  const body = [
    ...[field('00', '01'), field('26', account), field('52', '0000'), field('53', '986'), field('54', amount)],
    ...[field('58', 'BR'), field('59', 'RAMP EMULATOR'), field('60', 'SAO PAULO')],
    ...[field('62', field('05', transactionId)), '6304'],
  ].join('');
  return body + checksum(body);
}

const field = (id: string, value: string): string => `${id}${String(value.length).padStart(2, '0')}${value}`;

/** CRC-16/CCITT-FALSE. */
function checksum(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
