import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema } from 'graphql';
import { openApiDocument } from '../../gateway/rest/openapi/openapi-document';
import { loadConfig } from '../../src/config/config';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { fieldChecks } from '../../src/main/field-checks';

const config = loadConfig({ DATABASE_URL: 'postgres://localhost/none', API_KEY_PEPPER: 'ab'.repeat(32) });
const checks = fieldChecks(config);
const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'));
const document: any = openApiDocument(schema);

const resolved = (described: any): any =>
  described.$ref === undefined ? described : document.components.schemas[described.$ref.split('/').at(-1)];

/** Paths of the fields that the schema requires and the value lacks. */
function missing(described: any, value: object, prefix = ''): string[] {
  const { required = [], properties } = resolved(described);
  return [
    ...required.filter((name: string) => !(name in value)).map((name: string) => prefix + name),
    ...Object.entries(value).flatMap(([name, inner]) => missing(properties[name], inner, `${prefix}${name}.`)),
  ];
}

const EMPTY_EVIDENCE = {
  applicant: {},
  address: {},
  documents: { front: {}, attestation: { extracted: {} } },
  liveness: { image: {}, attestation: {} },
};

describe('of fields that exclude each other, the service refuses both', () => {
  const issuesOf = (operation: string, fields: Record<string, unknown>) => checks[operation]?.(fields) ?? [];
  const person = { email: 'a@example.com', walletAddress: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' };
  const file = { base64: 'AA==', url: 'https://storage.example.org/a.jpg' };

  it.each([
    ['Mutation.createKycSession', 'cpf', { ...person, cpf: '12345678909', taxId: '12345678909' }],
    ['Mutation.submitKycDocument', 'file', { documentType: 'PASSPORT', file }],
  ])('in %s, with an issue of %s', (operation, name, fields) => {
    expect(issuesOf(operation, fields).map((issue) => issue.path)).toEqual([name]);
  });

  it('and accepts each', () => {
    for (const name of ['cpf', 'taxId'])
      expect(issuesOf('Mutation.createKycSession', { ...person, [name]: '12345678909' })).toEqual([]);
    for (const one of [{ base64: file.base64 }, { url: file.url }])
      expect(issuesOf('Mutation.submitKycDocument', { documentType: 'PASSPORT', file: one })).toEqual([]);
  });
});

it.each([
  ['Mutation.createKycSession', '/api/v1/kyc/sessions', {}],
  ['Mutation.submitKycDocument', '/api/v1/kyc/sessions/{kycUserId}/documents', {}],
  ['Mutation.submitKycEvidence', '/api/v1/kyc/sessions/{kycUserId}/submit', EMPTY_EVIDENCE],
])('the body of %s requires the same fields in OpenAPI as in the service', (operation, route, body) => {
  const described = document.paths[route].post.requestBody.content['application/json'].schema;
  const issues = checks[operation]?.(body) ?? [];
  const refused = issues.filter(({ message }) => message === 'is required').map((issue) => issue.path);
  expect(refused.length).toBeGreaterThan(1);
  expect(missing(described, body).sort()).toEqual([...refused].sort());
});
