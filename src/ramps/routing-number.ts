const WEIGHTS = [3, 7, 1];

/** True of an ABA routing number: nine digits whose sum, weighted 3, 7, 1, is a multiple of ten. */
export function isRoutingNumber(text: string): boolean {
  if (!/^[0-9]{9}$/.test(text)) return false;
  const digits = Array.from(text, (digit) => Number.parseInt(digit, 10));
  return digits.reduce((sum, digit, position) => sum + digit * (WEIGHTS[position % 3] ?? 0), 0) % 10 === 0;
}
