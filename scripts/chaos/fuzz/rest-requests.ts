import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Random } from '../../../test/federation/fuzz/random';
import type { Values } from './values';

const schema = z.object({ examples: z.array(z.unknown()).default([]), enum: z.array(z.unknown()).default([]) });
const parameter = z.object({
  name: z.string(),
  in: z.enum(['query', 'path', 'header']),
  required: z.boolean().default(false),
  schema,
  example: z.unknown().optional(),
});
const body = z.object({
  content: z.object({
    'application/json': z.object({
      schema: z.object({
        properties: z.record(z.string(), schema).default({}),
        required: z.array(z.string()).default([]),
      }),
      example: z.record(z.string(), z.unknown()).default({}),
    }),
  }),
});
const operation = z.object({
  parameters: z.array(z.union([parameter, z.object({ $ref: z.string() })])).default([]),
  requestBody: body.optional(),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

type Parameter = z.infer<typeof parameter>;
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: z.infer<typeof body>['content']['application/json'] | undefined;
}

/** A request that the fuzzer sends. */
export interface FuzzedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface RequestSource {
  readonly random: Random;
  readonly values: Values;
  readonly apiKey: string;
}

/** The operations of an OpenAPI document. */
export function operationsOf(text: string): readonly Operation[] {
  const { paths } = document.parse(JSON.parse(text));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters: parameters.filter((each): each is Parameter => 'name' in each),
      body: requestBody?.content['application/json'],
    })),
  );
}

/** A request for one of the operations, valid or not. */
export function randomRequest(operations: readonly Operation[], source: RequestSource): FuzzedRequest {
  const { random } = source;
  const picked = random.pick(operations);
  return {
    method: random.chance(0.02) ? random.pick(['PUT', 'PATCH', 'HEAD', 'OPTIONS', 'DELETE', 'POST']) : picked.method,
    path: pathOf(picked, source) + queryOf(picked, source),
    headers: headersOf(source),
    body: picked.body === undefined ? undefined : bodyOf(picked.body, source),
  };
}

function pathOf({ path, parameters }: Operation, { random, values }: RequestSource): string {
  if (random.chance(0.01)) return `${path}/${encode(values.next('path'))}`;
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const described = parameters.find((each) => each.name === name);
    // An empty part would be another path.
    return encode(values.next(name, examplesOf(described))) || 'x';
  });
}

function queryOf({ parameters }: Operation, { random, values }: RequestSource): string {
  const parts = parameters
    .filter((each) => each.in === 'query' && random.chance(each.required || each.example !== undefined ? 0.9 : 0.12))
    .flatMap((each) => {
      const part = (): string => `${each.name}=${encode(values.next(each.name, examplesOf(each)))}`;
      return random.chance(0.02) ? [part(), part()] : [part()];
    });
  if (random.chance(0.03)) parts.push(`${encode(values.next('name'))}=${encode(values.next('value'))}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

const examplesOf = (described: Pick<Parameter, 'schema' | 'example'> | undefined): readonly unknown[] =>
  described === undefined
    ? []
    : [
        ...(described.example === undefined ? [] : [described.example]),
        ...described.schema.examples,
        ...described.schema.enum,
      ];

function bodyOf({ schema: { properties, required }, example }: NonNullable<Operation['body']>, source: RequestSource) {
  const { random, values } = source;
  if (random.chance(0.03))
    return random.pick(['', '{', '[]', 'null', '"text"', '{"a":1,"a":2}', '{"__proto__":{"a":1}}']);
  const fields = Object.entries(properties)
    .filter(([name]) => random.chance(required.includes(name) || name in example ? 0.9 : 0.2))
    .map(([name, described]) => [
      name,
      values.next(name, [...examplesOf({ schema: described, example: example[name] })]),
    ]);
  if (random.chance(0.03)) fields.push(['unknown', values.next('value')]);
  const text = JSON.stringify(Object.fromEntries(fields));
  return random.chance(0.02) ? text.slice(0, random.below(text.length)) : text;
}

function headersOf({ random, apiKey }: RequestSource): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'x-api-key': apiKey };
  if (random.chance(0.1)) headers['x-api-key'] = random.pick(['', 'x', apiKey.slice(1), 'afl_'.padEnd(60, 'a')]);
  if (random.chance(0.03)) headers['authorization'] = random.pick(['Bearer x.y.z', 'Basic eDp5', 'Bearer', 'x']);
  if (random.chance(0.2)) headers['idempotency-key'] = random.pick([randomUUID(), 'same', 'x'.repeat(300), '"quoted"']);
  if (random.chance(0.05)) headers['x-request-id'] = random.pick([randomUUID(), 'x'.repeat(500), '{}']);
  if (random.chance(0.03))
    headers['content-type'] = random.pick(['text/plain', 'application/xml', 'x', 'application/json; charset=x']);
  if (random.chance(0.03)) headers['accept'] = random.pick(['text/html', 'x', 'image/*;q=0']);
  if (random.chance(0.02)) headers['accept-encoding'] = random.pick(['gzip', 'br', 'x', 'identity;q=0']);
  return headers;
}

/** Text of a value in a URL. A lone surrogate, which a URL cannot have, becomes an escape that is not UTF-8. */
function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return encodeURIComponent(text.replaceAll(LONE_SURROGATE, SURROGATE)).replaceAll(SURROGATE, '%ED%A0%80');
}

const LONE_SURROGATE = /\p{Surrogate}/gu;
const SURROGATE = 'SURROGATE';
