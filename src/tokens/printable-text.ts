/** Control, format (bidirectional overrides, zero-width), private and unassigned characters, lone surrogates. */
const UNPRINTABLE = /[\p{C}\uFFFD\uFFFC]/gu;

/**
 * Sanitizes untrusted text for storage and display: one line, without characters that hide or reorder others, at most
 * `limit` characters. Empty when no printable character remains.
 */
export function printableText(text: string, limit: number): string {
  // Long texts are shortened before the expensive steps and again afterwards.
  const spaced = text.slice(0, limit * 8).replace(/\s+/gu, ' ');
  const printable = spaced.replace(UNPRINTABLE, '').normalize('NFC').trim();
  return Array.from(printable).slice(0, limit).join('').trim();
}

/**
 * Characters that hide or reorder others: control characters but white space, and the format characters, which are directional
 * marks, overrides and isolates, zero-width characters, and tags.
 */
const HIDDEN = /(?!\s)[\p{Cc}\p{Cf}]|\uFEFF/u;

/** True for a text with characters that a reader does not see; only its first 1,000 characters are searched. */
export const hasInvisibleCharacters = (text: string): boolean => HIDDEN.test(text.slice(0, 1000));
