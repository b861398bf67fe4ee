import { serviceError } from '../../../src/errors/service-error';

/** Maximum number of comments: each is a token that the limit of the parser does not count, and a megabyte has 500,000. */
export const MAX_COMMENTS = 1000;

/**
 * Maximum number of brackets in one another, above what the limits of a parsed document allow. Each takes some stack of the
 * parser, which overflows at about 2,000.
 */
export const MAX_BRACKETS = 100;

/**
 * Checks the text of a document before it is parsed. Counts the number sign also inside strings.
 *
 * @throws DOCUMENT_LIMIT_EXCEEDED
 */
export function assertTextWithinLimits(text: string): void {
  let comments = 0;
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    comments += 1;
    if (comments > MAX_COMMENTS) throw exceeded(MAX_COMMENTS, 'comments');
  }
  if (nestsDeeper(text, MAX_BRACKETS)) throw exceeded(MAX_BRACKETS, 'brackets in one another');
}

const exceeded = (maximum: number, counted: string): Error =>
  serviceError('DOCUMENT_LIMIT_EXCEEDED', { maximum, counted });

/**
 * True when brackets outside of strings and comments are nested deeper than `maximum`. Compares character codes, because it
 * runs for every request, and a document can have a million characters.
 */
function nestsDeeper(text: string, maximum: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NUMBER_SIGN) at = endOfLine(text, at);
    else if (code === QUOTE) at = endOfString(text, at);
    else depth += nesting(code);
    if (depth > maximum) return true;
  }
  return false;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const NUMBER_SIGN = 0x23;
const BACKSLASH = 0x5c;

/** 1 for an opening bracket, -1 for a closing one. */
function nesting(code: number): number {
  switch (code) {
    case 0x28: // (
    case 0x5b: // [
    case 0x7b: // {
      return 1;
    case 0x29: // )
    case 0x5d: // ]
    case 0x7d: // }
      return -1;
    default:
      return 0;
  }
}

/** Position of the line break after `start`, or the length of the text. */
function endOfLine(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) return at;
  }
  return text.length;
}

/**
 * Position of the last quote of the string that begins at `start`, or of the line break that makes it invalid. Not a regular
 * expression: a call for each of many short strings or escapes takes longer than the characters.
 */
function endOfString(text: string, start: number): number {
  const isBlock = text.charCodeAt(start + 1) === QUOTE && text.charCodeAt(start + 2) === QUOTE;
  if (isBlock) return endOfBlockString(text, start);
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code === LINE_FEED) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

const BLOCK_QUOTES = '"""';

function endOfBlockString(text: string, start: number): number {
  let end = text.indexOf(BLOCK_QUOTES, start + BLOCK_QUOTES.length);
  while (end !== -1 && text.charCodeAt(end - 1) === BACKSLASH)
    end = text.indexOf(BLOCK_QUOTES, end + BLOCK_QUOTES.length);
  return end === -1 ? text.length : end + BLOCK_QUOTES.length - 1;
}
