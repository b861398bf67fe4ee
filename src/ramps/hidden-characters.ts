/** Control and format characters (such as changes of direction), surrogates, and separators of lines and paragraphs. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** True for a text with characters that are not displayed, which a name or an address must not contain. */
export const hasHiddenCharacters = (text: string): boolean => HIDDEN.test(text);

/** Message for a text that `hasHiddenCharacters`. */
export const HIDDEN_CHARACTERS_MESSAGE = 'must not contain invisible characters';
