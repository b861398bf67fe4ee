import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, isInputObjectType, isObjectType } from 'graphql';
import { PROJECT_ROOT } from '../../../src/config/project-root';
import { compileResponses } from '../../../test/openapi/response-schemas';
import { restView } from '../rest-view';
import { ROUTES } from '../route-table';
import { FIELD_SCHEMAS } from './field-schemas';
import { openApiDocument } from './openapi-document';
import { REQUIRED_FIELDS } from './required-fields';

const schema = buildSchema(readFileSync(path.join(PROJECT_ROOT, 'gateway/api.graphql'), 'utf8'));
const document: any = openApiDocument(schema);
const { schemas } = document.components;
const routes: [string, string, any][] = Object.entries<object>(document.paths).flatMap(([route, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, string, any] => [route, method, operation]),
);
const operations = routes.map(([, , operation]) => operation);
const operationOf = (operationId: string): any => operations.find((each) => each.operationId === operationId);
const bodyOf = (operationId: string): any => operationOf(operationId).requestBody.content['application/json'].schema;

interface Part {
  readonly type: string;
  readonly description: string;
}

/** The fields and arguments that REST shows, by `Type.field` or `Type.field.argument`. */
function partsOfView(): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  for (const type of Object.values(restView(schema, ROUTES).getTypeMap())) {
    if (type.name.startsWith('__') || !(isObjectType(type) || isInputObjectType(type))) continue;
    for (const field of Object.values(type.getFields())) {
      const key = `${type.name}.${field.name}`;
      const args = 'args' in field ? field.args : [];
      for (const part of [{ ...field, name: '' }, ...args]) {
        const description = part.description ?? '';
        parts.set([key, part.name].filter(Boolean).join('.'), { type: String(part.type), description });
      }
    }
  }
  return parts;
}

const parts = partsOfView();
const matches = (pattern: string, text: string): boolean => new RegExp(pattern, 'u').test(text);

describe('values', () => {
  const enumOf = ({ enum: values, anyOf = [] }: any): string[] => values ?? anyOf.flatMap(enumOf);

  it.each(Object.entries(FIELD_SCHEMAS))('of %s are those that its description names', (key, described) => {
    expect([...parts.keys()]).toContain(key);
    for (const value of enumOf(described)) expect(parts.get(key)?.description).toContain(`\`${value}\``);
  });

  it('are an enum wherever a description lists them', () => {
    const listed = [...parts].filter(
      ([, { type, description }]) =>
        type.startsWith('String') && /`\w+`(?:, `\w+`)* or `\w+`/.test(description.replaceAll(/\s+/g, ' ')),
    );
    expect(listed.length).toBeGreaterThan(15);
    expect(listed.map(([key]) => key).filter((key) => FIELD_SCHEMAS[key] === undefined)).toEqual([]);
  });

  it('of fees may be negative', () => {
    const { amount, tokenAmount } = schemas.ActionFee.properties;
    const { total } = schemas.ActionFees.properties;
    for (const text of ['-0.000001', '0.100000', '0', '12']) {
      for (const { pattern } of [amount, total]) expect([text, matches(pattern, text)]).toEqual([text, true]);
    }
    for (const text of ['-7', '0', '7']) {
      for (const { pattern } of [tokenAmount, schemas.FeeLine.properties.amountRaw])
        expect([text, matches(pattern, text)]).toEqual([text, true]);
    }
    for (const { description } of [amount, tokenAmount, total]) expect(description).toContain('Negative');
    expect(matches(schemas.Asset.properties.amountRaw.pattern, '-7')).toBe(false);
  });

  it('of receiverAddress are addresses of any chain, and the rails of a payout', () => {
    const [address, rails] = schemas.Action.properties.receiverAddress.anyOf;
    expect(rails.enum).toEqual(['pix', 'wire', 'ach']);
    for (const received of [address, schemas.Action.properties.originAddress]) {
      expect(received.minLength).toBeLessThanOrEqual(26);
      expect(received.maxLength).toBeGreaterThanOrEqual(64); // of a local Bitcoin chain
    }
  });

  it('are a number or a text where a request may have both, and one of them in responses', () => {
    const parameter = (name: string) => operationOf('swapQuote').parameters.find((each: any) => each.name === name);
    expect(bodyOf('createTransfer').properties.chainId.type).toEqual(['string', 'integer']);
    expect(parameter('chainIdIn').schema.type).toEqual(['string', 'integer']);
    expect(parameter('slippage').schema.type).toEqual(['string', 'number']);
    expect(schemas.SwapQuote.properties.slippage.type).toBe('string');
    expect(bodyOf('createSmartAccount').properties.chainId.type).toBe('integer');
  });
});

describe('required fields', () => {
  const namesOf = (fields: (typeof REQUIRED_FIELDS)[string] | undefined): readonly string[] =>
    [fields?.all ?? [], ...(fields?.anyOf ?? []), ...(fields?.oneOf ?? [])].flat();

  it('are all that the descriptions of the graph call required, and exist', () => {
    const required = [...parts].filter(([, { description }]) => /(?:^|\. )Required\.(?: |$)/.test(description));
    expect(required.length).toBeGreaterThan(5);
    for (const [key] of required) {
      const [, owner = '', name = ''] = /^(.*)\.(\w+)$/.exec(key) ?? [];
      expect([key, namesOf(REQUIRED_FIELDS[owner])]).toEqual([key, expect.arrayContaining([name])]);
    }
    for (const [owner, fields] of Object.entries(REQUIRED_FIELDS)) {
      for (const name of namesOf(fields)) expect([...parts.keys()]).toContain(`${owner}.${name}`);
    }
  });

  it('of a body are required by its schema, and at least one of two names for the same value', () => {
    const { required, allOf } = bodyOf('createTransfer');
    expect(required).toEqual(['chainId', 'token', 'amount']);
    expect(allOf).toEqual([
      { anyOf: [{ required: ['originAddress'] }, { required: ['walletOrigin'] }] },
      { anyOf: [{ required: ['destinationAddress'] }, { required: ['walletDestination'] }] },
    ]);
    expect(operationOf('createTransfer').requestBody.required).toBe(true);
  });

  it('are one of several, and not more, where they exclude each other', () => {
    expect(schemas.KycFileInput.allOf).toEqual([{ oneOf: [{ required: ['base64'] }, { required: ['url'] }] }]);
    const { required, allOf } = bodyOf('createKycSession');
    expect(required).toEqual(['email', 'walletAddress']);
    expect(allOf).toEqual([{ oneOf: [{ required: ['cpf'] }, { required: ['taxId'] }] }]);
  });

  it('of a query are required parameters', () => {
    const required = operationOf('transfer').parameters.filter((each: any) => each.required === true);
    expect(required.map(({ name }: any) => name)).toEqual(['chainId', 'token', 'amount']);
  });

  /** The id of a person in this deployment: no example is right, and a wrong one looks like an error of the service. */
  const ID_OF_PERSON = 'kycUserId';
  /** Operations that require the id of the caller's own customer. */
  const OF_CUSTOMER: ReadonlySet<unknown> = new Set(['customerTokens', 'customerTokenGroups']);

  it('of a query have one type or none, which Swagger UI requires to send them, and an example', () => {
    const required = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.filter((each: any) => each.required).map((each: any) => ({ operationId, ...each })),
    );
    expect(required.length).toBeGreaterThan(5);
    for (const { operationId, name, schema: parameter, example } of required)
      expect([operationId, name, Array.isArray(parameter.type), example !== undefined]).toEqual([
        ...[operationId, name, false],
        name !== ID_OF_PERSON && !OF_CUSTOMER.has(operationId),
      ]);
    const chainId = operationOf('transfer').parameters.find(({ name }: any) => name === 'chainId');
    expect(chainId.schema.anyOf).toEqual([{ type: 'string' }, { type: 'integer' }]);
  });

  it('of transfers have another recipient than the sender as an example', () => {
    const { originAddress, destinationAddress } =
      operationOf('createTransfer').requestBody.content['application/json'].example;
    expect(destinationAddress).not.toBe(originAddress);
    const inQuery = Object.fromEntries(
      operationOf('transfer').parameters.map(({ name, example }: any) => [name, example]),
    );
    expect(inQuery).toMatchObject({ originAddress, destinationAddress });
  });

  it('are in the example of every body, which has none when one of them is the id of a person', () => {
    for (const { operationId, requestBody } of operations) {
      if (requestBody === undefined) continue;
      const { schema: body, example } = requestBody.content['application/json'];
      const required: readonly string[] = body.required ?? [];
      const isInvalid = required.includes(ID_OF_PERSON);
      expect([operationId, example === undefined]).toEqual([operationId, isInvalid]);
      if (isInvalid) continue;
      expect([operationId, Object.keys(example)]).toEqual([operationId, expect.arrayContaining([...required])]);
      expect(Object.keys(example)).not.toContain(ID_OF_PERSON);
    }
  });
});

describe('the details of errors', () => {
  const typeOf = (name: string): any => schemas.ErrorDetails.properties[name].type;

  it('have amounts as strings, and other numbers as integers', () => {
    expect(['minimum', 'currency', 'maximumAmountOut'].map(typeOf)).toEqual(['string', 'string', 'string']);
    const integers = ['decimals', 'priceImpactBps', 'maxPriceImpactBps', 'retryAfter'];
    for (const name of integers) expect([name, typeOf(name)]).toEqual([name, 'integer']);
    expect(typeOf('maximum')).toEqual(['string', 'integer']); // the limits of a customer are integers
  });

  it('have their types in the examples', () => {
    const validate = compileResponses(JSON.stringify(document));
    const checked = new Set<string>();
    for (const [route, method, { responses }] of routes) {
      for (const [status, { content }] of Object.entries<any>(responses)) {
        for (const code of Object.keys(content['application/json'].examples ?? {})) {
          if (checked.has(code)) continue;
          checked.add(code);
          const url = `http://service${route}`;
          const body = document.components.examples[code].value;
          const found = validate({ method: method.toUpperCase(), url, status: Number.parseInt(status, 10), body });
          expect([code, found?.differences]).toEqual([code, []]);
        }
      }
    }
    expect([...checked].sort()).toEqual(Object.keys(document.components.examples));
    const { details } = document.components.examples.AMOUNT_IN_TOO_HIGH.value.error;
    expect(Object.keys(details)).toEqual(
      expect.arrayContaining(['maximum', 'currency', 'decimals', 'priceImpactBps', 'maxPriceImpactBps']),
    );
  });
});

it('an item of the history of a wallet has the fields of the contract, with their types', () => {
  const typeOf = ({ $ref, type, anyOf: [first] = [] }: any): string =>
    $ref === undefined ? (type ?? typeOf(first)) : typeOf(schemas[$ref.slice('#/components/schemas/'.length)]);
  const { properties } = schemas.Action;
  const texts = [
    ...['id', 'type', 'status', 'strategyId', 'strategySlug', 'originAddress', 'receiverAddress'],
    ...['createdAt', 'initialDate', 'finishedAt', 'underlyingAssetFeeValue'],
  ];
  const types = { amounts: 'object', transactions: 'array', fees: 'object' };
  expect(
    Object.fromEntries(
      [...texts, ...Object.keys(types)].map((name) => [name, properties[name] && typeOf(properties[name])]),
    ),
  ).toEqual({ ...Object.fromEntries(texts.map((name) => [name, 'string'])), ...types });
  expect(Object.keys(schemas.Amounts.properties)).toEqual(['assetIn', 'assetOut', 'breakdown']);
});

it('every operation lists 400 VALIDATION_ERROR', () => {
  for (const { operationId, responses } of operations) {
    const { code } = responses['400'].content['application/json'].schema.properties.error.properties;
    expect([operationId, code.enum]).toEqual([operationId, expect.arrayContaining(['VALIDATION_ERROR'])]);
  }
});

it('every operation has an id of its own, which generated clients use as its name', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

it('descriptions state facts that names do not', () => {
  const text = JSON.stringify(document);
  expect(text).not.toMatch(/"(?:The|Returns the) value of `/);
  const described = operations.map(({ operationId, responses }) => [operationId, responses['200'].description]);
  expect(described.filter(([, description]) => description.length < 10)).toEqual([]);
});

it('the version is that of the service, and the version of the contract is in the paths', () => {
  const { version } = JSON.parse(readFileSync(path.join(PROJECT_ROOT, 'package.json'), 'utf8'));
  expect(document.info.version).toBe(version);
  expect(document.paths).toHaveProperty(['/v2/swap/quote']);
});
