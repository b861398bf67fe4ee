const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const COMMA = 0x2c;

export interface JsonLimits {
  /** Arrays and objects in one another. */
  readonly depth: number;
  /** Commas outside of texts: about the number of values. */
  readonly values: number;
}

/**
 * The limit that JSON exceeds. Parsing a megabyte of brackets takes some hundred milliseconds, and handling one of small
 * values almost as long; counting them takes a few.
 */
export function exceededLimit(json: Buffer, limits: JsonLimits): keyof JsonLimits | undefined {
  let [depth, values] = [0, 0];
  for (let position = 0; position < json.length; position += 1) {
    const byte = json[position] ?? 0;
    if (byte === QUOTE) position = endOfText(json, position);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (depth > limits.depth) return 'depth';
    if (values > limits.values) return 'values';
  }
  return undefined;
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
