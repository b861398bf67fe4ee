/** JSON text of a value that is a string nearly always: short plain strings skip the general serializer. */
export function jsonOfString(value: unknown): string {
  if (typeof value === 'string' && value.length < MAX_PLAIN_LENGTH && PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value);
}

/** Scanning is what makes long strings slower here than in the serializer. */
const MAX_PLAIN_LENGTH = 64;

/** Printable ASCII but quotes and backslashes, and whatever lies between it and the surrogates. */
const PLAIN = /^[ !#-[\]-~\u0080-\ud7ff]*$/;
