import { errorRecord } from './error-record';

/** Replaces a value that must not be logged. */
export const REDACTED = '[redacted]';

/** Names of properties with credentials. */
const CREDENTIALS = [
  ...['apiKey', 'api_key', 'apikey', 'x-api-key', 'authorization', 'cookie', 'set-cookie', 'password', 'secret'],
  ...[
    'token',
    'accessToken',
    'access_token',
    'refreshToken',
    'jwt',
    'privateKey',
    'private_key',
    'secretKey',
    'signature',
  ],
  ...['webhookSecret', 'seed', 'mnemonic', 'pepper'],
];
/** Names of properties about people, and of bodies, which may contain anything. */
const PERSONAL = [
  ...[
    'pixKey',
    'pix_key',
    'pix',
    'brCode',
    'cpf',
    'cnpj',
    'taxId',
    'tax_id',
    'email',
    'phone',
    'phoneNumber',
    'fullName',
  ],
  ...[
    'firstName',
    'lastName',
    'dateOfBirth',
    'birthDate',
    'streetAddress',
    'street',
    'zipCode',
    'postalCode',
    'accountNumber',
  ],
  ...[
    'routingNumber',
    'iban',
    'beneficiary',
    'holderName',
    'documentNumber',
    'document',
    'documents',
    'base64',
    'selfie',
  ],
  ...['body', 'rawBody', 'requestBody', 'responseBody', 'payload', 'variables'],
];
export const REDACTED_NAMES: readonly string[] = [...CREDENTIALS, ...PERSONAL];

const IS_REDACTED: ReadonlySet<string> = new Set(REDACTED_NAMES.map((name) => name.toLowerCase()));
/** Objects below are replaced: no useful part of a log record is that deep. */
const MAX_DEPTH = 8;

/** The fields of a record without the values of such properties, at any depth. Errors are reduced to their records. */
export const redactFields = (fields: object): Record<string, unknown> => redactObject(fields, 0);

function redactObject(fields: object, depth: number): Record<string, unknown> {
  // Unlike an assignment, this keeps a property `__proto__` a property.
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => {
      const isRedacted = value !== undefined && IS_REDACTED.has(name.toLowerCase());
      return [name, isRedacted ? REDACTED : redactValue(value, depth + 1)];
    }),
  );
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return errorRecord(value);
  if (depth > MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((each: unknown) => redactValue(each, depth + 1));
  return hasOwnForm(value) ? value : redactObject(value, depth);
}

/** A date, a URL or a buffer, which says itself how it is written. */
const hasOwnForm = (value: object): boolean => 'toJSON' in value && typeof value.toJSON === 'function';

/** A property with one of the names in JSON that is inside of a text. The text ends, at the latest, with its own quote. */
const NAMED_IN_TEXT = new RegExp(
  String.raw`(\\+")(${REDACTED_NAMES.join('|')})\1(\s*:\s*)(?:\1(?:\\.|[^"\\])*?(?<!\\)\1|\1(?:\\.|[^"\\])*|-?\d[\d.eE+-]*)`,
  'gi',
);

/** Texts that are credentials or personal data wherever they appear. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // A key or secret of this service; its id stays readable.
  [/\b(sk_(?:live|test)_[A-Za-z0-9]{1,32}_)[A-Za-z0-9_-]+/g, `$1${REDACTED}`],
  [/\bsk_(?:live|test)_(?![A-Za-z0-9]+_\[)[A-Za-z0-9_-]+/g, REDACTED],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, REDACTED],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, REDACTED],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="))/g, REDACTED],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"\\]+@/gi, `$1${REDACTED}@`],
  [/[\w.%+-]{1,64}@(?:[\w-]{1,63}\.)+[A-Za-z]{2,24}/g, REDACTED],
  // The client of EVM nodes puts the body of a failed request into its message.
  [/(Request body: )(?:(?!\\n)(?:\\.|[^"\\]))*/g, `$1${REDACTED}`],
  [/(?<![\w.+-])\+\d{1,3}[ ()-]?\(?\d{2,3}\)?[ -]?\d{4,5}-?\d{4}(?!\w)/g, REDACTED],
  [/(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])/g, REDACTED],
  [/(?<![\w.-])[\dA-Z]{2}\.[\dA-Z]{3}\.[\dA-Z]{3}\/[\dA-Z]{4}-\d{2}(?![\w-])/g, REDACTED],
  // A BR Code contains the key of its payee.
  [/\b000201[\w .*@:/+-]{20,}6304[0-9A-F]{4}\b/g, REDACTED],
];
const URLS = /\b(?:https?|wss?):\/\/[^\s"\\]+/gi;
/** A part of a path that may be a key, as in the URLs of nodes and callbacks: long, with letters and digits. */
const KEY_IN_PATH = /\/(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w-]{16,}(?=[/.,;:!')\]]|$)/g;
/** Eleven digits alone: a tax number when its last two digits check the others. */
const ELEVEN_DIGITS = /(?<!\w|\d[.-])\d{11}(?!\w|[.-]\d)/g;

/** Most lines have none of this: the patterns would cost several times as much. */
const SUSPECT =
  /sk_|whsec_|eyJ|[Bb]earer|[Bb]asic|PRIVATE KEY|:\/\/|@|\+\d|(?<!\d)\d{11}(?!\d)|\.\d{3}[./]|000201|\\"|Request body/;

/** A line of the log without credentials and personal data in its texts. */
export function redactLine(line: string): string {
  if (!SUSPECT.test(line)) return line;
  let redacted = line.replace(NAMED_IN_TEXT, `$1$2$1$3$1${REDACTED}$1`);
  for (const [pattern, replacement] of PATTERNS) redacted = redacted.replace(pattern, replacement);
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
function isTaxNumber(digits: string): boolean {
  const values = Array.from(digits, Number);
  const checkDigit = (count: number): number => {
    const sum = values.slice(0, count).reduce((total, value, index) => total + value * (count + 1 - index), 0);
    return ((sum * 10) % 11) % 10;
  };
  return checkDigit(9) === values[9] && checkDigit(10) === values[10];
}
