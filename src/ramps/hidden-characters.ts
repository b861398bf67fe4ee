/** Control and format characters (such as changes of direction), surrogates, and separators of lines and paragraphs. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** True for a text with characters that are not displayed, which a name or an address must not contain. */
export const hasHiddenCharacters = (text: string): boolean => HIDDEN.test(text);

/** Message for a text that `hasHiddenCharacters`. */
export const HIDDEN_CHARACTERS_MESSAGE = 'must not contain invisible characters';

/** Escapes the characters that are not displayed: `\n`, `\u001b`, `\u{202e}`. */
export const escapeHiddenCharacters = (text: string): string => text.replaceAll(EACH_HIDDEN, escapeCharacter);

const EACH_HIDDEN = new RegExp(HIDDEN, 'gu');

/** As in JSON, which leaves some of them, such as U+202E, as they are. */
function escapeCharacter(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  return json === character ? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}` : json;
}
