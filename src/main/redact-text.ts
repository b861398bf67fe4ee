import { REDACTED_NAME_PATTERN } from './redacted-names';

/** Replaces a value that must not be logged. */
export const REDACTED = '[redacted]';

/** A line of the log may contain such a text. Most lines do not, and the patterns would cost several times as much. */
export const SUSPECT =
  /sk_|whsec_|eyJ|bearer|basic|Bearer|Basic|BEARER|BASIC|PRIVATE KEY|:\/\/|@|\+\d|(?<!\d)\d{11}(?!\d)|\.\d{3}\.|\.[\dA-Z]{3}\/|000201|\\"|Request body/;

// No pattern may take longer than in proportion to the text: callers and third parties write parts of it.

/** A property with one of the names in JSON that is inside of a text. The text ends, at the latest, with its own quote. */
const NAMED_IN_TEXT = new RegExp(
  String.raw`(\\{0,31}")(${REDACTED_NAME_PATTERN})\1(\s*:\s*)(?:\1(?:\\.|[^"\\])*?(?<!\\)\1|\1(?:\\.|[^"\\])*|-?\d[\d.eE+-]*)`,
  'gi',
);

/** Where a word begins. In JSON that is inside of a text, a line break is the two characters \n. */
const START = String.raw`(?:(?<=\\[bfnrt])|(?<![A-Za-z0-9]))`;
/** Where a number begins. */
const START_OF_NUMBER = String.raw`(?:(?<=\\[bfnrt])|(?<![\w.+-]))`;

/** Texts that are credentials or personal data wherever they appear. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // A key or secret of this service; its id stays readable.
  [new RegExp(`${START}(sk_(?:live|test)_[A-Za-z0-9]{1,32}_)[A-Za-z0-9_-]+`, 'g'), `$1${REDACTED}`],
  [new RegExp(String.raw`${START}sk_(?:live|test)_(?![A-Za-z0-9]{1,32}_\[)[A-Za-z0-9_-]+`, 'g'), REDACTED],
  [new RegExp(`${START}whsec_[A-Za-z0-9+/=_-]+`, 'g'), REDACTED],
  [new RegExp(String.raw`${START}(Bearer|Basic)\s+[\w.~+/=-]+`, 'gi'), `$1 ${REDACTED}`],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, REDACTED],
  // The user and password of a URL.
  [/:\/\/[^\s/"\\]+@/g, `://${REDACTED}@`],
  [/[\w.%+-]{1,64}@(?:[\w-]{1,63}\.){1,10}[A-Za-z]{2,24}/g, REDACTED],
  // The client of EVM nodes puts the body of a failed request into its message.
  [/(Request body: )[^\n]*/g, `$1${REDACTED}`],
  [new RegExp(String.raw`${START_OF_NUMBER}\+\d{1,3}[ ()-]?\(?\d{2,3}\)?[ -]?\d{4,5}-?\d{4}(?!\w)`, 'g'), REDACTED],
  [new RegExp(String.raw`${START_OF_NUMBER}\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])`, 'g'), REDACTED],
  [
    new RegExp(String.raw`${START_OF_NUMBER}[\dA-Z]{2}\.[\dA-Z]{3}\.[\dA-Z]{3}\/[\dA-Z]{4}-\d{2}(?![\w-])`, 'g'),
    REDACTED,
  ],
  // A BR Code contains the key of its payee.
  [new RegExp(String.raw`${START}000201[\w .*@:/+-]{20,512}6304[0-9A-F]{4}\b`, 'g'), REDACTED],
];
/** An access token, or the beginning of one. */
const ENCODED_JSON = new RegExp(String.raw`${START}eyJ[\w-]{5,}(?:\.[\w-]*){0,4}`, 'g');
const URLS = /(?:https?|wss?):\/\/[^\s"\\]+/gi;
/** A part of a path that may be a key, as in the URLs of nodes and callbacks: long, with letters and digits. */
const KEY_IN_PATH = /\/(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w-]{16,}(?=[/.,;:!')\]]|$)/g;
/** Eleven digits alone: a tax number when its last two digits check the others. */
const ELEVEN_DIGITS = /(?:(?<=\\[bfnrt])|(?<!\w|\d[.-]))\d{11}(?!\w|[.-]\d)/g;

/** A text without credentials and personal data. */
export function redactText(text: string): string {
  let redacted = text.replace(NAMED_IN_TEXT, `$1$2$1$3$1${REDACTED}$1`);
  for (const [pattern, replacement] of PATTERNS) redacted = redacted.replace(pattern, replacement);
  // Without a dot it is another encoded value.
  redacted = redacted.replace(ENCODED_JSON, (value) => (value.includes('.') ? REDACTED : value));
  redacted = redacted.replace(URLS, redactUrl);
  return redacted.replace(ELEVEN_DIGITS, (digits) => (isTaxNumber(digits) ? REDACTED : digits));
}

/** A URL without its query and the keys in its path. */
function redactUrl(url: string): string {
  const [address = ''] = url.split(/[?#]/, 1);
  const query = url.length > address.length ? `?${REDACTED}` : '';
  return `${address.replace(KEY_IN_PATH, `/${REDACTED}`)}${query}`;
}

/** Whether eleven digits are a valid CPF. */
export function isTaxNumber(digits: string): boolean {
  const values = Array.from(digits, Number);
  const checkDigit = (count: number): number => {
    const sum = values.slice(0, count).reduce((total, value, index) => total + value * (count + 1 - index), 0);
    return ((sum * 10) % 11) % 10;
  };
  return checkDigit(9) === values[9] && checkDigit(10) === values[10];
}
