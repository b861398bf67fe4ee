import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../../edge/send-failure';
import { pagePolicy } from './content-policy';
import { type Page, sendPage } from './page';

/** Entry points of the service, with a description of each. */
const ENTRY_POINTS = {
  documentation: { path: '/docs', description: 'API reference of all REST routes' },
  openapi: { path: '/openapi.json', description: 'OpenAPI document of the REST routes' },
  graphql: { path: '/graphql', description: 'GraphQL endpoint; in a browser GraphiQL with examples' },
  health: { path: '/health', description: 'health of the service and its dependencies' },
} as const;

const links = (): string =>
  Object.values(ENTRY_POINTS)
    .map(({ path, description }) => `      <li><a href="${path}">${path}</a>: ${description}</li>`)
    .join('\n');

const HTML: Page = {
  type: 'text/html; charset=utf-8',
  policy: () => pagePolicy({ scripts: "'none'" }),
  content: () =>
    Promise.resolve(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Afluente</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
  </head>
  <body>
    <h1>Afluente</h1>
    <p>Swaps and fiat ramps through one API: REST and GraphQL. Requests need an API key in the header x-api-key.</p>
    <ul>
${links()}
    </ul>
  </body>
</html>
`),
};

const JSON_PAGE: Page = {
  type: JSON_TYPE,
  content: () => Promise.resolve(JSON.stringify({ name: 'Afluente', ...ENTRY_POINTS }, undefined, 2)),
};

/** Serves an overview with links to the documentation at the base URL: HTML for browsers, else JSON. Requires no credential. */
export function mountOverview(app: FastifyInstance): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: (request, reply) => {
      const isBrowser = request.headers.accept?.includes('text/html') === true;
      return sendPage(isBrowser ? HTML : JSON_PAGE, request, reply);
    },
  });
}
