import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { buildSchema, type GraphQLField } from 'graphql';
import { loadConfig } from '../config/config';
import { PROJECT_ROOT } from '../config/project-root';
import { fieldChecks } from './field-checks';

const config = loadConfig({ DATABASE_URL: 'postgres://localhost/none', API_KEY_PEPPER: 'ab'.repeat(32) });
const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'));

function fieldNamed(operation: string): GraphQLField<unknown, unknown> {
  const [type, name] = operation.split('.') as [string, string];
  const fields = (type === 'Query' ? schema.getQueryType() : schema.getMutationType())!.getFields();
  return fields[name]!;
}

/** Arbitrary JSON, and typical texts of requests. */
const value = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', 'secondary', 'devnet', 'fiat', 'BRL', 'USD', '1', '-1', 'ACH', '000201', 'a@b.co', '\ud800'),
);

describe.each(Object.entries(fieldChecks(config)))('the checks of %s', (operation, check) => {
  it('return a result for any request', () => {
    const names = fieldNamed(operation).args.map(({ name }) => name);
    const fields = fc.dictionary(fc.constantFrom(...names, '__proto__', 'length'), value, { maxKeys: names.length });
    fc.assert(
      fc.property(fields, (sent) => {
        for (const { path: place, message } of check(sent))
          expect([typeof place, typeof message]).toEqual(['string', 'string']);
      }),
      { numRuns: 500 },
    );
  });
});
