import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { compileResponses } from './response-schemas';

const validate = compileResponses(readFileSync(path.join(PROJECT_ROOT, 'docs/openapi.json'), 'utf8'));
const ACCOUNT = { address: `0x${'1'.repeat(40)}`, owner: `0x${'2'.repeat(40)}`, chainId: 1 };

const differencesOf = (request: string, status: number, body?: unknown): readonly string[] | undefined => {
  const [method = '', target = ''] = request.split(' ');
  return validate({ method, url: `http://service${target}`, status, body })?.differences;
};
const failure = (code: string, details?: object) => ({ error: { code, message: 'a message', details } });

it('a documented response has no differences', () => {
  expect(differencesOf('POST /smart-account', 200, ACCOUNT)).toEqual([]);
  expect(differencesOf('GET /actions/1?a=b', 404, failure('ACTION_NOT_FOUND'))).toEqual([]);
  expect(differencesOf('GET /health/live', 200, { status: 'ok' })).toEqual([]);
  expect(differencesOf('HEAD /actions/1', 200)).toEqual([]);
});

it.each([
  ['property', 'POST /smart-account', 200, { ...ACCOUNT, nonce: 1 }, 'additional properties'],
  ['value', 'POST /smart-account', 200, { ...ACCOUNT, chainId: '1' }, '/chainId must be integer'],
  ['absence', 'POST /smart-account', 200, { address: ACCOUNT.address, chainId: 1 }, "required property 'owner'"],
  ['body', 'POST /smart-account', 200, undefined, 'must be object'],
  ['error code', 'POST /smart-account', 404, failure('ACTION_NOT_FOUND'), 'no such status'],
  ['error code of a status', 'GET /actions/1', 404, failure('QUOTE_NOT_FOUND'), '/error/code must be equal to one of'],
  ['detail', 'GET /actions/1', 422, failure('VALIDATION_ERROR', { secret: 1 }), '/error/details must NOT have'],
  ['status', 'GET /health', 500, {}, 'no such status'],
  ['route', 'GET /swaps', 200, {}, 'no such route'],
  ['method', 'PUT /actions/1', 200, {}, 'no such route'],
])('an undocumented %s is a difference', (...[, request, status, body, difference]) => {
  expect(differencesOf(request, status, body)).toEqual([expect.stringContaining(difference)]);
});

it('requests outside the REST contract are not validated', () => {
  for (const request of ['POST /graphql', 'GET /openapi.json', 'GET /docs', 'OPTIONS /actions']) {
    expect(differencesOf(request, 200, {})).toBeUndefined();
  }
  for (const status of [404, 405]) expect(differencesOf('GET /nothing', status, {})).toBeUndefined();
});
