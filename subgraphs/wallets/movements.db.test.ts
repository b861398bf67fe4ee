import type { Rpc } from '../../src/rpc/rpc';
import { tokenBalanceDeps } from '../../test/portfolio/token-balance-deps';
import { graphql } from 'graphql';
import { newCustomer } from '../../test/actions/sample-action';
import { openScriptedLedger, type ScriptedLedger, transfers, wallet } from '../../test/ledger/scripted-ledger';
import type { CustomerId } from '../../src/auth/principal';
import { createRequestContext } from '../../src/auth/request-context';
import { createWalletsSubgraph } from './index';

const [ALICE, EVE] = [wallet(1), wallet(2)];
const OTHER_TOKEN = wallet(77);

let ledger: ScriptedLedger;
beforeAll(async () => {
  ledger = await openScriptedLedger({ maxWatchedWallets: 3 });
  await ledger.watch(ALICE);
  await ledger.pass();
  for (let amount = 1n; amount <= 5n; amount += 1n) {
    ledger.node.mine(transfers({ from: EVE, to: ALICE, amount }, { from: ALICE, to: EVE, amount, token: OTHER_TOKEN }));
  }
  await ledger.catchUp();
});
afterAll(() => ledger.stop());

interface Options {
  readonly customerId?: CustomerId;
  readonly isIndexed?: boolean;
}

function run(source: string, { customerId = ledger.customerId, isIndexed = true }: Options = {}) {
  const { deps, test } = ledger;
  const rpc = deps.rpc as Rpc;
  const { schema } = createWalletsSubgraph({
    ...tokenBalanceDeps(test, { chains: deps.chains, rpc }),
    rpc,
    pool: test.pool,
    blockedAddresses: new Set(),
    watch: deps.watch,
    isIndexed: () => isIndexed,
  });
  const principal = { kind: 'apiKey', customerId, keyId: 'key' } as const;
  const contextValue = createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });
  return graphql({ schema, source, contextValue });
}

interface Slice {
  readonly nodes: readonly { readonly amount: string; readonly kind: string; readonly blockNumber: number }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

async function movements(given: string, options: Options = {}): Promise<Slice> {
  const selection = 'nodes { amount kind blockNumber } pageInfo { hasNextPage endCursor }';
  const result = await run(`{ wallet(address: "${ALICE}") { movements${given} { ${selection} } } }`, options);
  expect(result.errors).toBeUndefined();
  return (result.data!['wallet'] as { movements: Slice }).movements;
}

const codeOf = (result: Awaited<ReturnType<typeof run>>) =>
  (result.errors?.[0]?.originalError as { code?: string } | undefined)?.code;

describe('the movements of a wallet', () => {
  it('are paged without gaps or repetitions, the newest first', async () => {
    const seen: string[] = [];
    let after = '';
    for (;;) {
      const { nodes, pageInfo } = await movements(`(first: 3${after})`);
      seen.push(...nodes.map(({ kind, amount }) => `${kind} ${amount}`));
      if (!pageInfo.hasNextPage) break;
      after = `, after: "${pageInfo.endCursor}"`;
    }
    expect(seen).toEqual(
      ['5', '4', '3', '2', '1'].flatMap((amount) => [`transferOut ${amount}`, `transferIn ${amount}`]),
    );
  });

  it('are filtered by chain and token', async () => {
    expect((await movements(`(token: "${OTHER_TOKEN}")`)).nodes.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 5 }, () => 'transferOut'),
    );
    expect((await movements('(chainId: 31337)')).nodes).toHaveLength(10);
  });

  it('are not visible to a customer that does not watch the wallet', async () => {
    expect((await movements('', { customerId: newCustomer() })).nodes).toEqual([]);
  });

  it('are empty, and no wallet is watched for them, while the recording is switched off', async () => {
    const address = wallet(55);
    const { database } = ledger.test;
    await database.customerWallet.create({ data: { customerId: ledger.customerId, address } });
    const source = `{ wallet(address: "${address}") { movements { nodes { amount } } movementCoverage { chainId } } }`;
    const off = await run(source, { isIndexed: false });
    expect(off.data).toEqual({ wallet: { movements: { nodes: [] }, movementCoverage: [] } });
    expect((await movements('', { isIndexed: false })).nodes).toEqual([]);
    expect(await database.watchRequest.count({ where: { address } })).toBe(0);
    await run(source);
    expect(await database.watchRequest.count({ where: { address } })).toBe(1); // watched once its movements are requested
    await database.customerWallet.deleteMany({ where: { address } });
  });

  it.each(['first: 0', 'first: 101', 'after: "x"', 'chainId: 5', 'token: "x"'])('reject %s', async (given) => {
    const result = await run(`{ wallet(address: "${ALICE}") { movements(${given}) { nodes { amount } } } }`);
    expect(codeOf(result)).toBe('VALIDATION_ERROR');
  });

  it('come with the blocks that they are complete for', async () => {
    const selection = 'chainId fromBlock toBlock incompleteBlocks isComplete status lagBlocks';
    const source = `{ wallet(address: "${ALICE}") { movementCoverage { ${selection} } } }`;
    const covered = { chainId: 31337, fromBlock: 1, toBlock: 5, isComplete: true, status: 'ok', lagBlocks: 0 };
    expect((await run(source)).data).toEqual({ wallet: { movementCoverage: [{ ...covered, incompleteBlocks: 0 }] } });
    expect((await run(source, { isIndexed: false })).data).toEqual({ wallet: { movementCoverage: [] } });
    const item = { chainId: 31337, stage: 'ledger', item: '0x1', blockNumber: 3n, blockHash: '0x1' };
    await ledger.test.database.quarantine.create({ data: { ...item, error: 'no', nextAt: new Date() } });
    expect((await run(source)).data).toMatchObject({
      wallet: { movementCoverage: [{ isComplete: false, incompleteBlocks: 1 }] },
    });
    await ledger.test.database.quarantine.deleteMany();
  });

  it('of a wallet above the limit of its customer are an error that names the limit', async () => {
    await ledger.watch(wallet(11), wallet(12), wallet(13));
    const list = '{ wallets { data { address movements { nodes { amount } } } } }';
    const result = await run(list);
    expect(codeOf(result)).toBe('RATE_LIMIT_EXCEEDED');
    expect(result.errors?.[0]?.originalError).toMatchObject({ details: { limit: 'watchedWallets', maximum: 3 } });
    const { data } = result.data!['wallets'] as { data: { movements: object | null }[] };
    expect(data.filter(({ movements: found }) => found === null)).toHaveLength(1); // the others are shown
  });

  it('of many wallets take the same number of statements as those of one', async () => {
    await ledger.test.database.watchRequest.deleteMany();
    const { errors, data } = await run('{ wallets { data { address movements(first: 1) { nodes { amount } } } } }');
    expect(errors).toBeUndefined();
    const rows = (data!['wallets'] as { data: { address: string; movements: { nodes: object[] } }[] }).data;
    expect(rows.map(({ movements: { nodes } }) => nodes.length).sort()).toEqual([0, 0, 0, 1]);
  });
});
