/** Control, format (bidirectional overrides, zero-width), private and unassigned characters, lone surrogates. */
const UNPRINTABLE = /[\p{C}\uFFFD\uFFFC]/gu;

/**
 * Text that a stranger chose, fit to be stored and shown: on one line, without characters that hide or reorder others,
 * at most `limit` characters long. Empty when nothing is left.
 */
export function printableText(text: string, limit: number): string {
  // Long texts are cut before the costly work, and cut again after it.
  const spaced = text.slice(0, limit * 8).replace(/\s+/gu, ' ');
  const printable = spaced.replace(UNPRINTABLE, '').normalize('NFC').trim();
  return Array.from(printable).slice(0, limit).join('').trim();
}
