import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { ExampleValues } from '../../edge/example-values';
import { openApiText } from '../../rest/openapi/openapi-document';
import type { GatewayDependencies } from '../gateway-dependencies';
import { pagePolicy } from './content-policy';
import { type Page, sendPage } from './page';

const SWAGGER_UI = path.dirname(require.resolve('swagger-ui-dist/package.json'));

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Afluente API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/**
 * Swagger UI keeps what the user enters and that the user has logged out, and none of it may be replaced by the key of the
 * example. It keeps that key as well once the user enters an access token: then it is replaced, since it may be another one
 * by now.
 */
export const startScript = ({ apiKey }: ExampleValues): string => `const FILLED_IN = ${JSON.stringify(apiKey ?? '')};
const isEntered = () => {
  try {
    const authorized = localStorage.getItem('authorized');
    const filledIn = localStorage.getItem('filledInApiKey');
    if (authorized !== null && JSON.parse(authorized).ApiKeyAuth?.value === filledIn) return false;
    localStorage.setItem('filledInApiKey', FILLED_IN);
    return authorized !== null;
  } catch {
    return false; // the browser stores nothing
  }
};
const page = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  onComplete: () => {
    if (FILLED_IN !== '' && !isEntered()) page.preauthorizeApiKey('ApiKeyAuth', FILLED_IN);
  },
});
`;

const SCRIPT = 'text/javascript; charset=utf-8';

const vendorFile = (name: string, type: string): Page => ({
  type,
  content: () => readFile(path.join(SWAGGER_UI, name)),
});

/** Serves the API reference at `/docs` and the OpenAPI document at `/openapi.json`, without credentials or other hosts. */
export function mountDocs(
  app: FastifyInstance,
  { graph, config, example }: Pick<GatewayDependencies, 'graph' | 'config' | 'example'>,
): void {
  const pages: Readonly<Record<string, Page>> = {
    '/openapi.json': {
      type: 'application/json; charset=utf-8',
      content: () => Promise.resolve(openApiText(graph.schema, { serverUrl: config.PUBLIC_URL, example })),
    },
    '/docs': {
      type: 'text/html; charset=utf-8',
      content: () => Promise.resolve(HTML),
      policy: () => pagePolicy({ scripts: "'self'" }),
    },
    '/docs/start.js': { type: SCRIPT, isPrivate: true, content: () => Promise.resolve(startScript(example)) },
    '/docs/swagger-ui-bundle.js': vendorFile('swagger-ui-bundle.js', SCRIPT),
    '/docs/swagger-ui.css': vendorFile('swagger-ui.css', 'text/css; charset=utf-8'),
    '/docs/favicon-32x32.png': vendorFile('favicon-32x32.png', 'image/png'),
  };
  for (const [url, page] of Object.entries(pages)) {
    app.route({ method: ['GET', 'HEAD'], url, handler: (request, reply) => sendPage(page, request, reply) });
  }
}
