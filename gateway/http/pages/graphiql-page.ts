import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { hashesOfInlineScripts, pagePolicy } from './content-policy';
import type { ExampleValues } from '../../edge/example-values';
import { exampleQueries } from './example-queries';
import type { Page } from './page';

/**
 * GraphiQL positions draggable tabs with a transform that is wrong after loading: a focused tab moves away from the pointer
 * and the first click on it is lost. This style disables the transform.
 */
const STYLE = '<style>.graphiql-tab { transform: none !important; }</style>';

/**
 * Each tab has its own headers, and all of them are lost when the page is loaded again. The last key that the user entered is kept
 * until the browser closes the page's tab: the tabs begin with it, and it is sent where the key is empty. The key with which the
 * tabs began never takes its place: those that were not edited send it.
 */
const sharedKey = (filledIn: string): string => `<script>
const { fetch } = window;
const FILLED_IN = ${JSON.stringify(filledIn).replaceAll('<', String.raw`\u003c`)};
const entered = () => {
  try {
    return sessionStorage.getItem('x-api-key') ?? FILLED_IN;
  } catch {
    return FILLED_IN; // the browser stores nothing
  }
};
const INITIAL = entered();
const enter = (key) => {
  try {
    if (key !== INITIAL) sessionStorage.setItem('x-api-key', key);
  } catch {}
};
window.initialHeaders = () => JSON.stringify({ 'x-api-key': INITIAL }, null, 2);
window.fetch = async (url, init = {}) => {
  const headers = new Headers(init.headers);
  const key = headers.get('x-api-key');
  if (key) enter(key);
  else if (key === '') headers.set('x-api-key', entered());
  return fetch(url, { ...init, headers });
};
</script>`;

/** Stands for the headers in the options of GraphiQL, which are written as JSON. */
const HEADERS = '@initialHeaders';

const withAdditions = (page: string, { apiKey = '' }: ExampleValues): string =>
  page
    .replaceAll(JSON.stringify(HEADERS), 'window.initialHeaders()')
    .replace('</head>', () => `${STYLE}${sharedKey(apiKey)}</head>`);

/** GraphiQL as one self-contained document with working examples. The page connects to the graph only. */
export const createGraphiqlPage = (example: ExampleValues): Page => ({
  type: 'text/html; charset=utf-8',
  isPrivate: true,
  content: async () => withAdditions(await renderPage(example), example),
  // GraphiQL creates the workers of its editors from text.
  policy: (page) => pagePolicy({ scripts: hashesOfInlineScripts(page), workers: 'blob:' }),
});

const CODE = path.join(__dirname, 'render-graphiql.cjs');

async function renderPage(example: ExampleValues): Promise<string> {
  const workerData = {
    title: 'Afluente GraphiQL',
    defaultHeaders: HEADERS,
    defaultTabs: exampleQueries(example).map((query) => ({ query, headers: HEADERS })),
    defaultEditorToolsVisibility: 'headers',
    isHeadersEditorEnabled: true,
    shouldPersistHeaders: false,
    subscriptionsProtocol: 'GRAPHQL_SSE',
  };
  const [page] = (await once(new Worker(CODE, { workerData }), 'message')) as [Uint8Array];
  return new TextDecoder().decode(page);
}
