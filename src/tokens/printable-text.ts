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
