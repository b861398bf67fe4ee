import { type OperationDefinitionNode, parse } from 'graphql';
import type { FederatedGraph } from '../../gateway/federation/federated-graph';
import { restView } from '../../gateway/rest/rest-view';
import { routeDocument } from '../../gateway/rest/route-document';
import { ROUTES } from '../../gateway/rest/route-table';
import { composedGraph } from './composed-graph';

let graph: FederatedGraph;
beforeAll(async () => {
  graph = await composedGraph();
});
afterAll(() => graph.close());

const requestsFor = async (document: Parameters<FederatedGraph['prepare']>[0], variables = {}): Promise<number> =>
  (await graph.prepare(document, undefined)).costOf(variables).requests;

/** What GraphQL charges for everything that the REST route of an operation returns, with all of its sections. */
async function requestsForRoute(operation: string, limit: number): Promise<number> {
  const route = ROUTES.find((each) => each.operation === operation)!;
  const view = restView(graph.schema, route.sections === undefined ? ROUTES : [route]);
  const document = routeDocument(view, route);
  const [{ selectionSet, variableDefinitions = [] }] = document.definitions as [OperationDefinitionNode];
  expect(selectionSet.selections).toHaveLength(1);
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  const limits = names.filter((name) => /limit$/i.test(name)).map((name) => [name, limit]);
  const conditions = names.filter((name) => name.startsWith('include')).map((name) => [name, true]);
  return requestsFor(document, Object.fromEntries([...limits, ...conditions]));
}

test.each([...new Set(ROUTES.map(({ operation }) => operation))])(
  'GraphQL charges one request for everything that the REST route of %s returns, with a page of 100',
  async (operation) => {
    expect(await requestsForRoute(operation, 100)).toBe(1);
  },
);

test('GraphQL charges one request for the whole overview of a wallet, as REST does, and more for more than REST returns', async () => {
  expect(await requestsForRoute('Query.wallet', 500)).toBe(1);
  const ofWallet = (fields: string): Promise<number> =>
    requestsFor(parse(`{ wallet(address: "0x${'1'.repeat(40)}") { ${fields} } }`));
  const page =
    'history(limit: 500) { data { id amounts { assetIn { token { symbol } } assetOut { token { symbol } } } } }';
  const summary = 'tokens { summary { totalAmountInUSD } }';
  expect(await ofWallet(`address ${page} ${summary} ... on Wallet { ${summary} }`)).toBe(1);
  expect(await ofWallet(`${page} again: ${page}`)).toBe(4); // 15,000 units and a few
  expect(await ofWallet(`${page} nativeBalances { symbol }`)).toBe(2);
});

const ACTION =
  'id type status createdAt amounts { assetIn { amountRaw } assetOut { amountRaw } } steps { status txHash }';

test.each([
  [
    'an overview of a wallet',
    `{ wallet(address: "0x") { address nativeBalances { symbol amount } actions { data { ${ACTION} } } } }`,
    1,
  ],
  [
    'a list of wallets',
    '{ wallets { data { address firstSeenAt nativeBalances { chainId amount } } pagination { total } } }',
    1,
  ],
  ['the last actions of each wallet', `{ wallets { data { address actions(limit: 5) { data { ${ACTION} } } } } }`, 1],
  [
    'a profile and a list of actions',
    `{ me { name } actions(walletAddress: "0x", limit: 100) { data { ${ACTION} } pagination { total } } }`,
    2,
  ],
])('%s is charged for its root fields alone', async (_name, source, requests) => {
  expect(await requestsFor(parse(source.replaceAll('"0x"', `"0x${'1'.repeat(40)}"`)))).toBe(requests);
});
