import { CATALOG } from '../../src/errors/catalog';
import { errorsPage } from './errors-page';
import { ERROR_DETAILS_SCHEMA } from './openapi/error-responses';

it('the page of errors has every code of the catalog, and those that only GraphQL has', () => {
  const page = errorsPage();
  const inTables = [...page.matchAll(/^\| `([A-Z_0-9]+)` \|/gm)].map(([, code]) => code);
  const ofGraphql = ['GRAPHQL_PARSE_FAILED', 'BAD_REQUEST', 'PERSISTED_QUERY_NOT_SUPPORTED'];
  expect([...inTables].sort()).toEqual([...Object.keys(CATALOG), ...ofGraphql].sort());
  expect(page).toContain('[only in GraphQL](#graphql)');
  expect(page).toMatch(/^## GraphQL$/m);
});

it('the page of errors describes all details, as the API description has them', () => {
  const page = errorsPage();
  const { properties } = ERROR_DETAILS_SCHEMA as { properties: Record<string, unknown> };
  for (const name of Object.keys(properties)) expect(page).toContain(`\`${name}\``);
});

it('the page of errors has the other statuses and codes of GraphQL requests', () => {
  const rowOf = (code: string) => new RegExp(`^\\| \`${code}\` \\| (.*) \\|$`, 'm').exec(errorsPage())?.[1];
  expect(rowOf('GRAPHQL_PARSE_FAILED')).toMatch(/^400, or 200 over `application\/json`/);
  expect(rowOf('BAD_REQUEST')).toMatch(/event stream gets `VALIDATION_ERROR` and `METHOD_NOT_ALLOWED`/);
});
