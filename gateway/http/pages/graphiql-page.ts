import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { hashesOfInlineScripts, pagePolicy } from './content-policy';
import { type ExampleTrade, exampleQueries } from './example-queries';
import type { Page } from './page';

const HEADERS = JSON.stringify({ 'x-api-key': '' }, null, 2);

/**
 * Tabs can be dragged, and for that are placed by a transform that is wrong once the page has loaded: a tab that gets the
 * focus jumps from under the pointer, and the first click on it is lost. They stay where they are.
 */
const STYLE = '<style>.graphiql-tab { transform: none !important; }</style>';

const withStyle = (page: string): string => page.replace('</head>', `${STYLE}</head>`);

/** GraphiQL in one self-contained document, with examples that work: nothing is fetched but the graph. */
export const createGraphiqlPage = (example: ExampleTrade): Page => ({
  type: 'text/html; charset=utf-8',
  content: () =>
    Promise.resolve(
      withStyle(
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
    ),
  // Its editors run in workers that it makes from text.
  policy: (page) => pagePolicy({ scripts: hashesOfInlineScripts(page), workers: 'blob:' }),
});
