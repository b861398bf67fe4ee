import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import { hashesOfInlineScripts, pagePolicy } from './content-policy';
import type { ExampleValues } from '../../edge/example-values';
import { exampleQueries } from './example-queries';
import type { Page } from './page';

/**
 * GraphiQL positions draggable tabs with a transform that is wrong after loading: a focused tab moves away from the pointer
 * and the first click on it is lost. This style disables the transform.
 */
const STYLE = '<style>.graphiql-tab { transform: none !important; }</style>';

/** Each tab has its own headers. Where the key is empty, the last key is sent, until the browser closes the page's tab. */
const SHARED_KEY = `<script>
const { fetch } = window;
window.fetch = async (url, init = {}) => {
  const headers = new Headers(init.headers);
  const key = headers.get('x-api-key');
  try {
    if (key) sessionStorage.setItem('x-api-key', key);
    else if (key === '') headers.set('x-api-key', sessionStorage.getItem('x-api-key') ?? '');
  } catch {} // the browser stores nothing
  return fetch(url, { ...init, headers });
};
</script>`;

const withAdditions = (page: string): string => page.replace('</head>', () => `${STYLE}${SHARED_KEY}</head>`);

/** GraphiQL as one self-contained document with working examples. The page connects to the graph only. */
export const createGraphiqlPage = (example: ExampleValues): Page => ({
  type: 'text/html; charset=utf-8',
  isPrivate: true,
  content: () => Promise.resolve(withAdditions(renderPage(example))),
  // GraphiQL creates the workers of its editors from text.
  policy: (page) => pagePolicy({ scripts: hashesOfInlineScripts(page), workers: 'blob:' }),
});

function renderPage(example: ExampleValues): string {
  const headers = JSON.stringify({ 'x-api-key': example.apiKey ?? '' }, null, 2);
  return renderGraphiQL({
    title: 'Afluente GraphiQL',
    defaultHeaders: headers,
    defaultTabs: exampleQueries(example).map((query) => ({ query, headers })),
    defaultEditorToolsVisibility: 'headers',
    isHeadersEditorEnabled: true,
    shouldPersistHeaders: false,
    subscriptionsProtocol: 'GRAPHQL_SSE' as never,
  });
}
