/** JSON text of a value that is usually a string. Short plain strings skip the general serializer. */
export const jsonOfString = (value: unknown): string => (isPlainString(value) ? `"${value}"` : JSON.stringify(value));

/** True only for strings whose JSON text is the quoted string itself; false for some of these as well. */
export const isPlainString = (value: unknown): value is string =>
  typeof value === 'string' && value.length < MAX_PLAIN_LENGTH && PLAIN.test(value);

/** The serializer is faster for longer strings. */
const MAX_PLAIN_LENGTH = 64;

/** Printable ASCII without quotes and backslashes, and everything between ASCII and the surrogates. */
const PLAIN = /^[ !#-[\]-~\u0080-\ud7ff]*$/;
