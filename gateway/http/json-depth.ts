const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * True when JSON nests more arrays and objects than `maximum`. Parsing a megabyte of brackets takes some hundred
 * milliseconds, counting them a few.
 */
export function nestsDeeper(json: Buffer, maximum: number): boolean {
  let depth = 0;
  for (let position = 0; position < json.length; position += 1) {
    const byte = json[position] ?? 0;
    if (byte === QUOTE) position = endOfText(json, position);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > maximum) return true;
  }
  return false;
}

/** Position of the quote that ends the text which begins at `start`; the end of the JSON when there is none. */
function endOfText(json: Buffer, start: number): number {
  let end = json.indexOf(QUOTE, start + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf(QUOTE, end + 1);
  return end < 0 ? json.length : end;
}

/** True when an odd number of backslashes precedes the position. */
function isEscaped(json: Buffer, position: number): boolean {
  let first = position;
  while (json[first - 1] === BACKSLASH) first -= 1;
  return (position - first) % 2 === 1;
}
