// Parses JSON within limits. Also the code of the thread that parses large bodies, which is why it is no TypeScript.
// Messages of the thread, in: a body; out: what `parseJsonText` returns. Types: `json-text.d.cts`.
const { isUtf8 } = require('node:buffer');
const { isMainThread, parentPort, workerData } = require('node:worker_threads');
const secureJsonParse = require('secure-json-parse');

// Far above what a request needs. The depth is above the 32 levels of a value (`text-safety.ts`), whose error names the
// parameter: this one cannot.
const LIMITS = { depth: 64, values: 10_000 };
const EXCEEDED = {
  depth: `must not be nested more than ${LIMITS.depth} levels deep`,
  values: `must not have more than ${LIMITS.values} values`,
};
const ACTIONS = { protoAction: 'error', constructorAction: 'error' };
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

function parseJsonText(bytes) {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength); // a thread receives a plain array of bytes
  if (!isUtf8(body)) return { problem: 'is not valid UTF-8' };
  const exceeded = exceededLimit(body, LIMITS);
  if (exceeded !== undefined) return { problem: EXCEEDED[exceeded] };
  const text = body.toString('utf8');
  if (text === '') return { value: undefined };
  try {
    const value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    // The library's `parse` first searches the whole text, which takes as long as the parsing of a large body.
    if (typeof value === 'object' && value !== null) secureJsonParse.scan(value, ACTIONS);
    return { value };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

// Parsing a megabyte of brackets takes some hundred milliseconds, and handling one of small values almost as long; counting
// them takes a few.
function exceededLimit(json, limits) {
  let [depth, values] = [0, 0];
  for (let position = 0; position < json.length; position += 1) {
    const byte = json[position];
    if (byte === QUOTE) position = endOfText(json, position);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (depth > limits.depth) return 'depth';
    if (values > limits.values) return 'values';
  }
  return undefined;
}

// Position of the quote that ends the text which begins at `start`; the end of the JSON when there is none.
function endOfText(json, start) {
  let end = json.indexOf(QUOTE, start + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf(QUOTE, end + 1);
  return end < 0 ? json.length : end;
}

// True when an odd number of backslashes precedes the position.
function isEscaped(json, position) {
  let first = position;
  while (json[first - 1] === BACKSLASH) first -= 1;
  return (position - first) % 2 === 1;
}

// Where the JSON is invalid. The parser's own message would repeat parts of the body.
function problemOf(error) {
  const message = error instanceof Error ? error.message : '';
  if (message.includes('forbidden prototype property'))
    return 'has a key that is not allowed: __proto__ or constructor';
  const [, token] = /\bUnexpected token '(.)'/u.exec(message) ?? [];
  const place = message.includes('end of JSON') ? 'at its end' : /\bat position \d+/.exec(message)?.[0];
  if (place !== undefined) return `is not valid JSON ${place}`;
  return token === undefined ? 'is not valid JSON' : `is not valid JSON: unexpected "${token}"`;
}

// What starts the thread sets `workerData`: jest runs tests in threads as well.
if (!isMainThread && workerData === 'json')
  parentPort.on('message', (body) => parentPort.postMessage(parseJsonText(body)));

module.exports = { parseJsonText, exceededLimit };
