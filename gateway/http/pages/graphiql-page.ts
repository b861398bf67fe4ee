import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { hashesOfInlineScripts, pagePolicy } from './content-policy';
import { type ExampleTrade, exampleQueries } from './example-queries';
import type { Page } from './page';

const HEADERS = JSON.stringify({ 'x-api-key': '' }, null, 2);

/**
 * GraphiQL positions draggable tabs with a transform that is wrong after loading: a focused tab moves away from the pointer
 * and the first click on it is lost. This style disables the transform.
 */
const STYLE = '<style>.graphiql-tab { transform: none !important; }</style>';

const withStyle = (page: string): string => page.replace('</head>', `${STYLE}</head>`);

/** GraphiQL as one self-contained document with working examples. The page connects to the graph only. */
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
  // GraphiQL creates the workers of its editors from text.
  policy: (page) => pagePolicy({ scripts: hashesOfInlineScripts(page), workers: 'blob:' }),
});
