import type { JsonSchema } from './schema-object';

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** How scalars look on the wire, by name. */
export const SCALAR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Boolean: { type: 'boolean' },
  Float: { type: 'number', format: 'double' },
  ID: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  String: { type: 'string' },
  Address: { type: 'string', minLength: 32, maxLength: 44, examples: ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'] },
  Amount: { type: 'string', pattern: '^(0|[1-9][0-9]{0,77})$', maxLength: 78, examples: ['5000000'] },
  ChainName: { type: 'string', pattern: '^[A-Za-z0-9-]{1,32}$', maxLength: 32, examples: ['base'] },
  DateTime: { type: 'string', format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] },
  DecimalFraction: { type: 'string', pattern: '^-?[0-9]*(\\.[0-9]+)?$', maxLength: 64, examples: ['0.005'] },
  JSON: {},
  SafeInt: { type: 'integer', format: 'int64', minimum: -(2 ** 53) + 1, maximum: 2 ** 53 - 1, examples: [8453] },
  URL: { type: 'string', format: 'uri', maxLength: 2048, examples: ['https://example.org/hooks'] },
  UUID: { type: 'string', format: 'uuid', examples: [UUID] },
};
