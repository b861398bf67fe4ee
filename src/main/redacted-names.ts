/** Names of properties whose values are never logged, by words: `api key` stands for apiKey, api_key, API-KEY and apikey. */
const NAMES = {
  credentials: [
    ...['api key', 'x api key', 'api secret', 'access key', 'authorization', 'auth token', 'cookie', 'set cookie'],
    ...['password', 'passphrase', 'secret', 'client secret', 'internal secret', 'webhook secret', 'secret key', 'otp'],
    ...['token', 'access token', 'refresh token', 'id token', 'session token', 'jwt', 'private key', 'signature'],
    ...['seed', 'mnemonic', 'pepper'],
  ],
  people: [
    ...['pix key', 'pix', 'br code', 'cpf', 'cnpj', 'tax id', 'email', 'phone', 'phone number', 'full name'],
    ...['first name', 'last name', 'holder name', 'date of birth', 'birth date', 'street address', 'street'],
    ...['zip code', 'postal code', 'account number', 'routing number', 'iban', 'beneficiary', 'document number'],
    ...['document', 'documents', 'base64', 'selfie'],
  ],
  // They may contain anything.
  bodies: ['body', 'raw body', 'request body', 'response body', 'payload', 'variables'],
} as const;

export const REDACTED_NAMES: readonly string[] = Object.values(NAMES).flat();

const NORMALIZED: ReadonlySet<string> = new Set(REDACTED_NAMES.map((name) => name.replaceAll(' ', '')));

/** Whether the value of a property is redacted, however the words of its name are joined. */
export const isRedactedName = (name: string): boolean =>
  NORMALIZED.has(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

/** The same as a regular expression, for names inside of texts. To be used without regard to case. */
export const REDACTED_NAME_PATTERN = REDACTED_NAMES.map((name) => name.replaceAll(' ', '[ _-]?')).join('|');
