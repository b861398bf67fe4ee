import { readdirSync } from 'node:fs';
import path from 'node:path';
import { startSuiteServers, type SuiteRequest, type SuiteServers } from './suite-servers';

let servers: SuiteServers;
beforeAll(async () => {
  servers = await startSuiteServers();
});
afterAll(() => servers.close());

async function mockProductsRequest(request: SuiteRequest, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(servers.productsUrl, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(request),
  });
  return response.json();
}

const mockRouterRequest = (request: SuiteRequest): Promise<unknown> => servers.executeOnRouter(request);

// The suite starts its servers with containers and its router from the network; its tests need only these two functions.
jest.mock('@apollo/federation-subgraph-compatibility-tests/dist/utils/client', () => ({
  productsRequest: mockProductsRequest,
  routerRequest: mockRouterRequest,
}));

const SUITE = path.join(
  path.dirname(require.resolve('@apollo/federation-subgraph-compatibility-tests/package.json')),
  'dist/tests',
);

/** Declares the tests of the suite, and returns their number. */
function declareSuite(): number {
  const declare = jest.fn(globalThis.test);
  Object.assign(globalThis, { test: declare, it: declare });
  for (const file of readdirSync(SUITE)) if (file.endsWith('.test.js')) jest.requireActual(path.join(SUITE, file));
  return declare.mock.calls.length;
}

describe('a subgraph in the compatibility suite of the federation specification', () => {
  const { test: declareTest } = globalThis;
  const count = declareSuite();
  Object.assign(globalThis, { test: declareTest, it: declareTest });

  declareTest('runs every test of the suite', () => {
    expect(count).toBe(23);
  });
});
