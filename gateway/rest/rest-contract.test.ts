import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, isObjectType } from 'graphql';
import { BOUNDS } from './bounds';
import { compileCoercer } from './coercion/compile-coercer';
import { KEPT_NULLS } from './null-fields';
import { openApiText } from './openapi/openapi-document';
import { restView } from './rest-view';
import { routeParameters } from './route-parameters';
import { rootField } from './root-field';
import { type RestRoute, ROUTES } from './route-table';

const schema = buildSchema(readFileSync(path.join(__dirname, '../api.graphql'), 'utf8'));
const view = restView(schema, ROUTES);

it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s has a root field with every argument of its path',
  (_, route) => {
    const names = rootField(schema, route.operation).args.map(({ name }) => name);
    for (const [, name] of route.path.matchAll(/:(\w+)/g)) expect(names).toContain(name);
    expect(() => compileCoercer(view, route)).not.toThrow();
  },
);

it('keeps nulls only for existing nullable fields', () => {
  for (const { field } of KEPT_NULLS) {
    const [typeName, fieldName] = field.split('.') as [string, string];
    const type = schema.getType(typeName);
    expect([field, isObjectType(type) && type.getFields()[fieldName]?.type.toString()]).toEqual([
      field,
      expect.not.stringMatching(/!$/),
    ]);
  }
});

it('bounds only existing parameters', () => {
  for (const [operation, bounds] of Object.entries(BOUNDS) as [RestRoute['operation'], object][]) {
    const route = ROUTES.find((each) => each.operation === operation)!;
    const names = routeParameters(restView(schema, [route]), route).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(bounds)));
  }
});

it('shows only root fields of routes, and fields with arguments of their types only as sections', () => {
  expect(Object.keys(view.getQueryType()!.getFields()).sort()).toEqual(
    [
      ...new Set(ROUTES.flatMap(({ operation }) => (operation.startsWith('Query.') ? [operation.slice(6)] : []))),
    ].sort(),
  );
  const wallet = view.getType('Wallet');
  expect(isObjectType(wallet) && Object.keys(wallet.getFields()).sort()).toEqual(['earn', 'history', 'tokens']);
});

it('generates the same document for the same contract', () => {
  expect(openApiText(schema)).toBe(
    openApiText(buildSchema(readFileSync(path.join(__dirname, '../api.graphql'), 'utf8'))),
  );
});
