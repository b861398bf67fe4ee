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

/** Characters that hide or reorder others: directional marks, overrides and isolates, zero-width characters, tags. */
const HIDDEN =
  /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]|[\u0000-\u0008\u000E-\u001F\u007F-\u009F]/u;

/** True for a text with characters that a reader does not see; only its first 1,000 characters are searched. */
export const hasHiddenCharacters = (text: string): boolean => HIDDEN.test(text.slice(0, 1000));
