const WEIGHTS = [3, 7, 1];
/** The first two digits: a district of the Federal Reserve, alone or plus 20 or 60. */
const ROUTING_NUMBER = /^(?:0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2])[0-9]{7}$/;

/** True of an ABA routing number of a bank: its nine digits, weighted 3, 7, 1, add up to a multiple of ten. */
export function isRoutingNumber(text: string): boolean {
  if (!ROUTING_NUMBER.test(text)) return false;
  const digits = Array.from(text, (digit) => Number.parseInt(digit, 10));
  return digits.reduce((sum, digit, position) => sum + digit * (WEIGHTS[position % 3] ?? 0), 0) % 10 === 0;
}
