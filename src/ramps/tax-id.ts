/**
 * Check digits of Brazilian tax ids: CPF for people, CNPJ for companies (numeric or, since July 2026, alphanumeric).
 *
 * Not from a library, because libraries refuse valid CPFs that are common in examples, such as 123.456.789-09, which the
 * ramps' sandboxes use.
 *
 * @see https://www.gov.br/receitafederal (IN RFB 2.229/2024 for the letters)
 */
const CPF_WEIGHTS = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];
const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
const ZERO = 48;

/** True for eleven digits, not all the same, with valid check digits. */
export const isCpf = (bare: string): boolean => /^\d{11}$/.test(bare) && hasValidCheckDigits(bare, CPF_WEIGHTS);

/** True for twelve digits or capital letters, not all the same, and two valid check digits. */
export const isCnpj = (bare: string): boolean =>
  /^[0-9A-Z]{12}\d{2}$/.test(bare) && hasValidCheckDigits(bare, CNPJ_WEIGHTS);

function hasValidCheckDigits(bare: string, weights: readonly number[]): boolean {
  const values = Array.from(bare, (character) => character.charCodeAt(0) - ZERO);
  if (new Set(values).size === 1) return false;
  const length = values.length - 2;
  const first = checkDigit(values.slice(0, length), weights.slice(1));
  const second = checkDigit(values.slice(0, length + 1), weights);
  return values[length] === first && values[length + 1] === second;
}

function checkDigit(values: readonly number[], weights: readonly number[]): number {
  const remainder = values.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0) % 11;
  return remainder < 2 ? 0 : 11 - remainder;
}
