import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { buildSchema, parse, validate } from 'graphql';
import { DEFAULT_EXAMPLE } from '../../gateway/edge/example-values';
import { exampleQueries } from '../../gateway/http/pages/example-queries';
import { createGraphiqlPage } from '../../gateway/http/pages/graphiql-page';
import { startScript } from '../../gateway/http/pages/mount-docs';
import { type Edge, startEdge } from './edge';

const publicSchema = buildSchema(readFileSync(path.join(__dirname, '../../gateway/api.graphql'), 'utf8'));
let edge: Edge;

beforeAll(async () => {
  edge = await startEdge();
});
afterAll(() => edge.close());

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('GraphiQL', () => {
  it('is self-contained, and its content policy allows exactly its scripts', async () => {
    const response = await fetch(`${edge.url}/graphql`, { headers: html });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const page = await response.text();
    const markup = page.replaceAll(/<(script|style)>[\s\S]*?<\/\1>/g, '');
    expect(/(?:src|href)="(?!data:)/i.test(markup)).toBe(false);
    const scripts = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script]) => script!);
    const policy = response.headers.get('content-security-policy')!;
    for (const script of scripts) expect(policy).toContain(createHash('sha256').update(script).digest('base64'));
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline/);
    expect(page.includes('x-api-key')).toBe(true);
    expect(edge.charges).toEqual([]);
  });

  it('sends the key that was entered last where a tab has none, and begins with it when it is loaded again', async () => {
    const page = String(await createGraphiqlPage({ ...DEFAULT_EXAMPLE, apiKey: 'demo<key' }).content());
    const script = /<script>(\nconst \{ fetch \} = window;[\s\S]*?)<\/script>/.exec(page)![1]!;
    const stored = new Map<string, string>();
    const sessionStorage = {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
    };
    const sent: (string | null)[] = [];
    const request = (_: string, { headers }: { readonly headers: Headers }): Promise<void> => {
      sent.push(headers.get('x-api-key'));
      return Promise.resolve();
    };
    const load = () => {
      const window = { initialHeaders: () => '', fetch: request };
      runInNewContext(script, { window, sessionStorage, Headers });
      return window;
    };
    const keyOf = ({ initialHeaders }: ReturnType<typeof load>): unknown => JSON.parse(initialHeaders());
    const send = ({ fetch: sending }: ReturnType<typeof load>, key: string): Promise<void> =>
      sending('/graphql', { headers: new Headers({ 'x-api-key': key }) });
    const first = load();
    expect(keyOf(first)).toEqual({ 'x-api-key': 'demo<key' });
    for (const key of ['', 'own', 'demo<key', '']) await send(first, key);
    expect(sent).toEqual(['demo<key', 'own', 'demo<key', 'own']);
    expect(keyOf(load())).toEqual({ 'x-api-key': 'own' });
    expect(page.split('window.initialHeaders()').length).toBeGreaterThan(2);
    expect(page).not.toContain('@initialHeaders');
  });

  it('is compressed, and not sent again while it is unchanged', async () => {
    const whole = await fetch(`${edge.url}/graphql`, { headers: { ...html, 'accept-encoding': 'gzip' } });
    expect(whole.headers.get('content-encoding')).toBe('gzip');
    expect(Number(whole.headers.get('content-length'))).toBeLessThan(3_000_000);
    await whole.arrayBuffer();
    const again = await fetch(`${edge.url}/graphql`, {
      headers: { ...html, 'if-none-match': whole.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });

  it('opens with lines that fit into its editor in a window 1,500 pixels wide', () => {
    const lines = exampleQueries(DEFAULT_EXAMPLE).flatMap((query) => query.split('\n'));
    expect(lines.filter(({ length }) => length > 74)).toEqual([]);
  });

  it.each(exampleQueries(DEFAULT_EXAMPLE).map((query) => [/(?:query|subscription) (\w+)/.exec(query)![1], query]))(
    'opens with %s, which is valid in the graph',
    (_, query) => {
      expect(validate(publicSchema, parse(query))).toEqual([]);
    },
  );
});

describe('the base URL', () => {
  it('lists the documentation, and every link leads to it', async () => {
    const response = await fetch(edge.url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const { name, ...entries } = await response.json();
    expect([name, Object.keys(entries)]).toEqual(['Afluente', ['documentation', 'openapi', 'graphql', 'health']]);
    for (const { path: link } of Object.values<{ path: string }>(entries)) {
      expect([link, (await fetch(edge.url + link, { headers: html })).status]).toEqual([link, 200]);
    }
    expect(edge.charges).toEqual([]);
  });

  it('is a page with the same links in a browser, without scripts', async () => {
    const response = await fetch(edge.url, { headers: html });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("script-src 'none'");
    const page = await response.text();
    for (const link of ['/docs', '/openapi.json', '/graphql', '/health']) expect(page).toContain(`href="${link}"`);
  });
});

describe('the API reference', () => {
  it('loads resources from this server only', async () => {
    const response = await fetch(`${edge.url}/docs`);
    const page = await response.text();
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) {
      expect(link).toMatch(/^\/docs\//);
      expect((await fetch(edge.url + link)).status).toBe(200);
    }
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(await (await fetch(`${edge.url}/docs/start.js`)).text()).toContain("url: '/openapi.json'");
  });

  it('begins with the key of the example until the user has entered one or logged out', async () => {
    const stored = new Map<string, string>();
    const localStorage = {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
    };
    /** The key that the page fills in. */
    const load = (apiKey?: string) => {
      let filledIn: string | undefined;
      const page = { preauthorizeApiKey: (_: string, key: string) => (filledIn = key) };
      const open = ({ onComplete }: { readonly onComplete: () => void }) => {
        setImmediate(onComplete);
        return page;
      };
      const SwaggerUIBundle = Object.assign(open, { presets: { apis: [] } });
      runInNewContext(startScript({ ...DEFAULT_EXAMPLE, apiKey }), { SwaggerUIBundle, localStorage });
      return new Promise((resolve) => setImmediate(() => resolve(filledIn)));
    };
    /** Swagger UI stores what the user changes, together with the key that the page has filled in. */
    const change = (schemes: object) => stored.set('authorized', JSON.stringify(schemes));

    expect([await load(), await load('demo'), await load('demo')]).toEqual([undefined, 'demo', 'demo']);
    change({ ApiKeyAuth: { value: 'demo' }, BearerAuth: { value: 'token' } });
    expect([await load('demo'), await load('later'), await load('later')]).toEqual(['demo', 'later', 'later']);
    change({ ApiKeyAuth: { value: 'own' } });
    expect(await load('later')).toBeUndefined();
    change({});
    expect(await load('later')).toBeUndefined();
  });

  it('describes every route, and requires no key', async () => {
    const response = await fetch(`${edge.url}/openapi.json`);
    expect(response.headers.get('content-type')).toContain('application/json');
    const { openapi, paths } = await response.json();
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/v2/swap/quote', '/actions/{id}/transactions', '/health']),
    );
  });
});
