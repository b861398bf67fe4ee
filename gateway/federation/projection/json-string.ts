/** JSON text of a value that is a string nearly always: short plain strings skip the general serializer. */
export const jsonOfString = (value: unknown): string => (isPlainString(value) ? `"${value}"` : JSON.stringify(value));

/** True for a string that is its own JSON text once it is quoted. False for some others that are, too. */
export const isPlainString = (value: unknown): value is string =>
  typeof value === 'string' && value.length < MAX_PLAIN_LENGTH && PLAIN.test(value);

/** Scanning is what makes long strings slower here than in the serializer. */
const MAX_PLAIN_LENGTH = 64;

/** Printable ASCII but quotes and backslashes, and whatever lies between it and the surrogates. */
const PLAIN = /^[ !#-[\]-~\u0080-\ud7ff]*$/;
