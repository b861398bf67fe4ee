import { STATUS_CODES } from 'node:http';
import { CATALOG, type CatalogRow, type ErrorCode } from '../../src/errors/catalog';
import { routeErrorCodes } from './openapi/error-responses';
import { openApiPath } from './openapi/route-operation';
import { ROUTES } from './route-table';

const HEAD = `# Errors

<!-- Generated from src/errors/catalog.ts and gateway/rest/route-table.ts. Do not edit. -->

Every error response of a REST route has this body. The HTTP status line has the status:

\`\`\`json
{ "error": { "code": "QUOTE_EXPIRED", "message": "…", "details": {} } }
\`\`\`

- \`code\` is stable. \`message\` is text for people and may change.
- \`details\` is optional: \`errors\` (\`path\` and \`message\` of every problem) with
  \`VALIDATION_ERROR\`, \`retryAfter\` (seconds) with rate limits and \`SERVICE_UNAVAILABLE\`, \`limit\` and
  \`maximum\` with other limits of the customer ([limits](limits.md)), \`unservedChains\` and \`servedChains\` with
  \`NO_ROUTE_FOUND\` for a chain that the deployment does not serve, \`requestId\` with a 5xx.
- A request that fails with \`SERVICE_UNAVAILABLE\` is not counted against the rate limit, unless \`details.counted\` is true:
  it used the service or its database up to a time limit, or needs a part that this deployment does not have.
- In GraphQL the code is in \`errors[].extensions.code\`, the details in \`errors[].extensions.details\`. Two more codes exist
  there: \`GRAPHQL_PARSE_FAILED\` (a syntax error in the document) and \`BAD_REQUEST\` (the request has no document, or its
  variables are not an object).
- Retry: "yes" when the same request may succeed later.

Besides its status in the table, \`VALIDATION_ERROR\` can have 400 (malformed HTTP), 408 (the request did not arrive in
time), 413 (body over 1 MB) and 431 (headers over 16 kB).
`;

/** Generates the page of all error codes from the catalog and the route table. */
export const errorsPage = (): string =>
  [
    HEAD,
    ...statuses().map((status) => section(status)),
    '## Codes by route\n',
    ...ROUTES.filter(({ deprecated }) => deprecated === undefined).map(
      (route) =>
        `- \`${route.method} ${openApiPath(route.path)}\`: ${routeErrorCodes(route)
          .map((code) => `\`${code}\``)
          .join(', ')}`,
    ),
    '',
  ].join('\n');

const rows = Object.entries(CATALOG) as readonly (readonly [ErrorCode, CatalogRow])[];

const statuses = (): readonly number[] =>
  [...new Set(rows.map(([, { status }]) => status))].sort((first, second) => first - second);

function section(status: number): string {
  const lines = rows
    .filter(([, row]) => row.status === status)
    .map(([code, { message, retryable }]) => `| \`${code}\` | ${escaped(message)} | ${retryable ? 'yes' : 'no'} |`);
  return [
    `## ${status} ${STATUS_CODES[status] ?? ''}\n`,
    '| code | message | retry |',
    '| --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

const escaped = (message: string): string => message.replaceAll('|', '\\|');
