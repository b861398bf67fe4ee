import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { hashesOfInlineScripts, pagePolicy } from './content-policy';
import { type ExampleTrade, exampleQueries } from './example-queries';
import type { Page } from './page';

const HEADERS = JSON.stringify({ 'x-api-key': '' }, null, 2);

/** GraphiQL in one self-contained document, with examples that work: nothing is fetched but the graph. */
export const createGraphiqlPage = (example: ExampleTrade): Page => ({
  type: 'text/html; charset=utf-8',
  content: () =>
    Promise.resolve(
      renderGraphiQL({
        title: 'Afluente GraphiQL',
        defaultHeaders: HEADERS,
        defaultTabs: exampleQueries(example).map((query) => ({ query, headers: HEADERS })),
        defaultEditorToolsVisibility: 'headers',
        isHeadersEditorEnabled: true,
        shouldPersistHeaders: false,
        subscriptionsProtocol: 'GRAPHQL_SSE' as never,
      }),
    ),
  // Its editors run in workers that it makes from text.
  policy: (page) => pagePolicy({ scripts: hashesOfInlineScripts(page), workers: 'blob:' }),
});
