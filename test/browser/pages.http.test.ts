import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { until } from '../resilience/until';
import { runningService } from '../setup/running-service';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
/** Skipped on machines without a browser; the report lists these tests as skipped. */
const describeInBrowser = CHROMIUM === undefined ? describe.skip : describe;

/** The initial tabs of GraphiQL, each with a text in its response. Which provider is the best depends on other tests' swaps. */
const EXAMPLES = {
  BestQuote: '"expectedAmountOut"',
  AllQuotes: 'swapQuotes',
  PixQuote: 'feeBreakdown',
  PixPayout: '"avenia"',
  QuoteStream: 'swapQuoteStream',
  Strategies: 'netAPY',
  StrategyRates: 'strategyRates',
  WalletActivity: 'actions',
  WalletOverview: 'totalAmountInUSD',
  TokenBalances: 'humanized',
  Wallet: 'kycProfile',
};

/** Ends what hangs. Opening an operation takes Swagger UI seconds of processor time, while other tests keep it busy. */
const MAX_WAIT_MS = 90_000;

const service = runningService();
let browser: Browser;

interface OpenPage {
  readonly page: Page;
  /** Requests that failed, were refused, or left this machine. */
  readonly problems: readonly string[];
}

/** Opens a page of the service in a browser that can reach only this machine. */
async function open(path: string): Promise<OpenPage> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(MAX_WAIT_MS);
  const problems: string[] = [];
  page.on('requestfailed', (request) => problems.push(`${request.url()}: ${String(request.failure()?.errorText)}`));
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.url()}: ${String(response.status())}`);
  });
  page.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(service.baseUrl)) problems.push(request.url());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(service.baseUrl + path, { waitUntil: 'load' });
  return { page, problems };
}

/** Replaces the API key of the open tab. */
async function enterKey(page: Page, key: string): Promise<void> {
  const headers = page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines');
  await headers.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(JSON.stringify({ 'x-api-key': key }));
}

/** Resolves once the page has read the query of the open tab, after a pause: it stores it then. Headers are read without one. */
async function untilApplied(page: Page): Promise<void> {
  const name = (await page.locator('.graphiql-tab-active .graphiql-tab-button').textContent()) ?? '';
  const isApplied = async (): Promise<boolean> => {
    const { origins } = await page.context().storageState();
    const stored = origins.flatMap(({ localStorage }) => localStorage).find((item) => item.name === 'graphiql:query');
    return new RegExp(`\\b${name}\\b`).test(stored?.value ?? '');
  };
  await until(`GraphiQL has read the query ${name}`, isApplied);
}

/** Runs the example of the open tab. Resolves to the response once it contains the text or errors. */
async function runExample(page: Page, text: string): Promise<string> {
  await untilApplied(page);
  await page.locator('.graphiql-execute-button').click();
  const result = page.locator('.result-window');
  await result.filter({ hasText: new RegExp(`${text}|"errors"`) }).waitFor();
  const stop = page.locator('.graphiql-execute-button[aria-label^="Stop"]');
  if (await stop.isVisible()) await stop.click();
  return (await result.textContent()) ?? '';
}

/** An empty key of a tab stands for the last one that was sent from any tab. */
async function expectSharedKey(page: Page): Promise<void> {
  await enterKey(page, '');
  expect(await runExample(page, EXAMPLES.Wallet)).not.toContain('"errors"');
  await enterKey(page, 'wrong');
  expect(await runExample(page, '"errors"')).toContain('INVALID_API_KEY');
}

describeInBrowser('in a browser without a network', () => {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: CHROMIUM ?? '',
      args: [
        ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
        ...['--disable-background-networking', '--disable-component-update'],
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    });
  });
  afterAll(() => browser.close());

  it('GraphiQL runs every initial example without any input, and sends the key of one tab from tabs without a key', async () => {
    const { page, problems } = await open('/graphql');
    await page.waitForSelector('.graphiql-execute-button');
    const tabs = page.locator('.graphiql-tab-button');
    const names = await tabs.allTextContents();
    expect(names).toEqual(Object.keys(EXAMPLES));
    for (const [index, shown] of Object.values(EXAMPLES).entries()) {
      await tabs.nth(index).click();
      const response = await runExample(page, shown);
      expect(response).toContain(shown);
      expect(response).not.toContain('"errors"');
    }
    // The stop button aborts the streams.
    expect(problems.filter((problem) => !/(QuoteStream|StrategyRates).*ERR_ABORTED$/.test(problem))).toEqual([]);
    await expectSharedKey(page);
  });

  it('the API reference requests a quote with the values that it suggests', async () => {
    const { page } = await open('/docs');
    const quote = page.locator('.opblock', { has: page.locator('[data-path="/v2/swap/quote"]') });
    await quote.locator('.opblock-summary-control').click();
    await quote.getByRole('button', { name: 'Try it out' }).click();
    await quote.getByRole('button', { name: 'Execute' }).click();
    await quote.locator('.live-responses-table').filter({ hasText: 'quoteId' }).waitFor();
  });

  it('the API reference lists the routes of the contract', async () => {
    const { page, problems } = await open('/docs');
    await page.waitForSelector('.opblock');
    const text = (await page.locator('#swagger-ui').textContent()) ?? '';
    for (const route of ['/v2/swap/quote', '/v2/swap/bytecode', '/v2/swap/status/{id}', '/actions/{id}', '/health']) {
      expect(text).toContain(route);
    }
    expect(problems).toEqual([]);
  });
});
