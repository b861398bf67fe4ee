/** Whether a client sends or receives a value. Some scalars accept several forms and return one. */
export type Direction = 'sent' | 'received';

type ScalarSchema = Readonly<Record<string, unknown>>;

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';
const EVM_ADDRESS = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const DECIMAL = '^-?[0-9]*(\\.[0-9]+)?$';
const CHAIN = '^[A-Za-z0-9-]{1,32}$';

/** An address of any chain. Bitcoin addresses have 26 to 90 characters. */
export const RECEIVED_ADDRESS: ScalarSchema = {
  type: 'string',
  minLength: 26,
  maxLength: 90,
  examples: [EVM_ADDRESS],
};

const SCHEMAS: Readonly<Record<string, ScalarSchema>> = {
  Boolean: { type: 'boolean' },
  Float: { type: 'number', format: 'double' },
  ID: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  String: { type: 'string' },
  Address: RECEIVED_ADDRESS,
  Amount: { type: 'string', pattern: '^(0|[1-9][0-9]{0,77})$', maxLength: 78, examples: ['5000000'] },
  ChainName: { type: 'string', pattern: CHAIN, maxLength: 32, examples: ['base'] },
  DateTime: { type: 'string', format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] },
  DecimalFraction: { type: 'string', pattern: DECIMAL, maxLength: 64, examples: ['0.005'] },
  JSON: {},
  SafeInt: { type: 'integer', format: 'int64', minimum: -(2 ** 53) + 1, maximum: 2 ** 53 - 1, examples: [8453] },
  URL: { type: 'string', format: 'uri', maxLength: 2048, examples: ['https://example.org/hooks'] },
  UUID: { type: 'string', format: 'uuid', examples: [UUID] },
};

/** Where clients may send other forms than they receive. */
const SENT_SCHEMAS: Readonly<Record<string, ScalarSchema>> = {
  Address: { type: 'string', minLength: 32, maxLength: 44, examples: [EVM_ADDRESS] },
  ChainName: { type: ['string', 'integer'], pattern: CHAIN, maxLength: 32, minimum: 0, examples: ['base', 8453] },
  DecimalFraction: { type: ['string', 'number'], pattern: DECIMAL, maxLength: 64, examples: ['0.005', 0.005] },
};

/** Schema of a scalar; `undefined` for one that this service does not define. */
export const schemaOfScalar = (name: string, direction: Direction): ScalarSchema | undefined =>
  (direction === 'sent' ? SENT_SCHEMAS[name] : undefined) ?? SCHEMAS[name];
