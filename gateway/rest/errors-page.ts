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
  \`maximum\` (an integer) with other limits of the customer ([limits](limits.md)), \`unservedChains\` and
  \`servedChains\` with \`NO_ROUTE_FOUND\` for a chain that the deployment does not serve, \`requestId\` with a 5xx.
- \`details\` of an amount out of range: \`minimum\` and \`maximum\` as far as the venue states them, as strings of decimal digits
  in the smallest unit of \`currency\` (a fiat currency, or the symbol of a token). \`AMOUNT_IN_TOO_LOW\`,
  \`AMOUNT_IN_TOO_HIGH\` and \`LENDING_BAD_REQUEST\` also have the \`decimals\` of the currency.
- \`details\` of a price impact above the maximum of the request: \`maxPriceImpactBps\` is that maximum, \`priceImpactBps\`
  the price impact of the requested amount, when it was computed. \`AMOUNT_IN_TOO_HIGH\` has \`maximum\` and, for a requested
  output amount, \`maximumAmountOut\` (the output for \`maximum\`, in the smallest unit of the token to buy);
  \`QUOTE_GENERATION_FAILED\` has neither, because no amount within the maximum was found.
- \`details\` of single codes: \`kind\` and \`reason\` with \`TRANSFER_VALIDATION_FAILED\` and \`LENDING_BAD_REQUEST\`; \`network\`
  (slug of the chain) with \`LENDING_SERVICE_UNAVAILABLE\`; \`providers\`, each with its \`code\` and
  \`message\`, with \`QUOTE_GENERATION_FAILED\` and \`BRIDGE_API_ERROR\`, or \`provider\` and \`reason\` when one bridge failed;
  \`retryable\` with \`QUOTE_GENERATION_FAILED\` and codes of tokenized stocks: true when the same request may succeed later;
  \`status\` (of the profile at the ramp) or \`usdEnabled\` with \`KYC_PROFILE_INCOMPLETE_FOR_RAMP\`; \`upstreamStatus\` (of the
  ramp's response) with \`PIX_KEY_LOOKUP_FAILED\`.
- A request that fails with \`SERVICE_UNAVAILABLE\` is not counted against the rate limit, unless its detail \`counted\` is true:
  it used the service or its database up to a time limit, or needs a part that this deployment does not have.
- In GraphQL the code is in \`errors[].extensions.code\`, the details in \`errors[].extensions.details\`. Over
  \`application/json\` a document that is refused has the status 200 instead of 400. Some codes exist
  [only in GraphQL](#graphql).
- Retry: "yes" when the same request may succeed later.

Besides its status in the table, \`VALIDATION_ERROR\` can have 400 (malformed HTTP), 408 (the request did not arrive in
time), 413 (body over 1 MB) and 431 (headers over 16 kB).
`;

/** Codes of requests that the graph does not receive, because they are no operation over HTTP. */
const GRAPHQL_CODES = {
  GRAPHQL_PARSE_FAILED:
    '400, or 200 over `application/json`: the document has a syntax error, at the position in `locations`',
  BAD_REQUEST:
    '400: no document, or variables that are not an object; 405: a mutation by GET. A request for an event stream gets `VALIDATION_ERROR` and `METHOD_NOT_ALLOWED` instead',
  PERSISTED_QUERY_NOT_SUPPORTED: '200: the request names a stored document; send the document itself',
} as const;

/** Generates the page of all error codes from the catalog and the route table. */
export const errorsPage = (): string =>
  [
    HEAD,
    ...statuses().map((status) => section(status)),
    ...GRAPHQL_SECTION,
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

const GRAPHQL_SECTION: readonly string[] = [
  '## GraphQL\n',
  '| code | status and meaning |',
  '| --- | --- |',
  ...Object.entries(GRAPHQL_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`),
  '',
];

const escaped = (message: string): string => message.replaceAll('|', '\\|');
