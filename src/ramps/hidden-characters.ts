/** Control characters, those that turn the direction of a text or hide in it, halves of characters, and ends of lines. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** True of a text in which people do not see everything: no name or address of theirs. */
export const hasHiddenCharacters = (text: string): boolean => HIDDEN.test(text);

/** Said of a text that `hasHiddenCharacters`. */
export const HIDDEN_CHARACTERS_MESSAGE = 'must not contain invisible characters';
