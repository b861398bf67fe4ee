import { type Hex, numberToHex } from 'viem';
import {
  CHAIN_ID,
  openScriptedLedger,
  type ScriptedLedger,
  TOKEN,
  transfers,
  wallet,
} from '../../test/ledger/scripted-ledger';
import type { RpcCall, ScriptedChain } from '../../test/actions/scripted-chain';
import { someChain } from '../../test/actions/sample-transfer';
import { emptyDatabase } from '../../test/setup/test-database';
import { createChainTable } from '../chains/chain-table';
import { type Backfiller, type BackfillPace, createBackfiller } from './run-backfill';
import { createChainLedger } from './run-ledger-pass';

const [ALICE, BOB, EVE] = [wallet(1), wallet(2), wallet(3)];
const { signal } = new AbortController();
const chains = createChainTable([
  someChain(CHAIN_ID, { tokens: [{ address: TOKEN, symbol: 'USDC', name: 'USD Coin', decimals: 6 }] }),
]);
const NOW: BackfillPace = { intervalMs: 0, searchMs: 0, readingMs: 15_000 };

let ledger: ScriptedLedger;
let node: ScriptedChain;
beforeAll(async () => {
  ledger = await openScriptedLedger();
  ({ node } = ledger);
});
afterAll(() => ledger.stop());
beforeEach(async () => {
  await emptyDatabase(ledger.test);
  node.intercept = () => undefined;
  node.finality = 0;
  if (node.hashes().length > 1) node.removeBlocks(node.hashes().length - 1);
});

const pay = (amount: bigint, to = ALICE) => transfers({ from: EVE, to, amount });

/** A node on which all wallets have the same balance, and which does other things as well. */
function respond(balance: bigint, other: (call: RpcCall) => unknown = () => undefined): void {
  node.intercept = (call) =>
    other(call) ?? (call.method === 'eth_call' ? { result: numberToHex(balance, { size: 32 }) } : undefined);
}

/** Watches wallets at the head, to read the blocks before. */
async function watched(addresses: readonly string[], pace = NOW): Promise<Backfiller> {
  await ledger.watch(...addresses);
  const own = createChainLedger(ledger.deps, CHAIN_ID);
  await own.pass(signal);
  node.mine();
  await own.pass(signal);
  return started(pace);
}
/** A process that was just started. */
function started(pace = NOW): Backfiller {
  const deps = { ...ledger.deps, chains, backfillBlocks: 1000 };
  return createBackfiller(deps, { chainId: CHAIN_ID, client: deps.rpc.client(CHAIN_ID) }, pace);
}
async function walk(backfiller: Backfiller, steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await backfiller.step(signal);
}
const states = async (): Promise<Readonly<Record<string, string>>> => {
  const rows = await ledger.test.database.$queryRaw<{ address: string; state: string }[]>`
    SELECT wallet.address, own.state FROM "WalletBackfill" AS own JOIN "WatchedWallet" AS wallet ON wallet.id = own."walletId"`;
  return Object.fromEntries(rows.map(({ address, state }) => [address, state]));
};

interface LogRange {
  readonly fromBlock: Hex;
  readonly toBlock?: Hex;
  readonly topics: readonly unknown[];
}

/** Refuses every range with this block for a wallet: its logs are too many for a response. */
function refuseLogs(owner: string, blockNumber: number) {
  return ({ method, params: [range] }: RpcCall): unknown => {
    const { fromBlock, toBlock, topics } = (method === 'eth_getLogs' ? range : { topics: [] }) as LogRange;
    if (toBlock === undefined || !JSON.stringify(topics).includes(owner.slice(2))) return undefined;
    return Number(fromBlock) <= blockNumber && blockNumber <= Number(toBlock)
      ? { error: { code: -32005, message: 'query returned more than 10000 results' } }
      : undefined;
  };
}

it('fewer and fewer wallets are tried on a node that serves no old blocks: the newest ones wait for each', async () => {
  const addresses = Array.from({ length: 8 }, (_, index) => wallet(10 + index));
  node.mine();
  const failure = { error: { code: -32000, message: 'no' } };
  let isServed = false;
  let requests = 0;
  respond(0n, ({ method, params: [range] }) => {
    if (isServed || method !== 'eth_getLogs' || !('toBlock' in (range as LogRange))) return undefined;
    requests += 1;
    return failure;
  });
  const backfiller = await watched(addresses, { ...NOW, intervalMs: 2000, searchMs: 10_000 });
  let now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
  const walkFor = async (seconds: number): Promise<void> => {
    for (const until = now + 1000 * seconds; now < until; now += 2000) await backfiller.step(signal);
  };
  const tried = () => ledger.test.database.walletBackfill.count({ where: { attempts: { gt: 0 } } });
  try {
    await walkFor(60); // at 0, 4, 12 and 28 seconds
    expect([await tried(), requests]).toEqual([4, 8]);
    isServed = true;
    await walkFor(10); // at 60 seconds, then every two seconds
    expect(await tried()).toBe(4);
    expect(await ledger.test.database.walletBackfill.count({ where: { lowest: 0 } })).toBeGreaterThanOrEqual(3);
  } finally {
    clock.mockRestore();
  }
});

it('operations that are recorded of a block stay when the movements of one wallet are read again', async () => {
  const [own] = node.mine(pay(1n), pay(2n));
  respond(3n);
  const backfiller = await watched([ALICE]);
  const { database } = ledger.test;
  const wallets = await database.watchedWallet.findFirstOrThrow();
  const header = { blockNumber: 1n, blockHash: Buffer.from(node.hashes()[1]!.slice(2), 'hex'), blockTime: new Date(0) };
  const place = {
    chainId: CHAIN_ID,
    walletId: wallets.id,
    part: 1,
    kind: 'transferIn',
    counterparty: EVE,
    token: TOKEN,
  };
  const batch = { operation: 'safeBatch', operationHash: Buffer.alloc(32, 5), operationContract: ALICE };
  await database.ledgerEntry.create({
    data: { ...header, ...place, ...batch, txHash: Buffer.from(own!.slice(2), 'hex'), logIndex: 0, amount: 1 },
  });
  await database.ledgerEntry.create({
    data: { ...header, ...place, blockHash: Buffer.alloc(32), txHash: Buffer.alloc(32, 9), logIndex: 7, amount: 9 },
  });
  await walk(backfiller, 2);
  const entries = await database.ledgerEntry.findMany({ orderBy: { amount: 'asc' } });
  expect(entries.map(({ amount, operation }) => [amount.toFixed(0), operation])).toEqual([
    ['1', 'safeBatch'],
    ['2', null],
  ]);
});

it.each([
  ['share the turns of customers', '"customerId" ON "WalletBackfill"', 0],
  ['show what was read before', 'earliest ON "WalletCoverage"', 10_000],
])('wallets are read although it is impossible to %s', async (_, changed, searchMs) => {
  node.mine(pay(1n));
  respond(1n);
  const { pool } = ledger.test;
  const backfiller = await watched([ALICE], { ...NOW, searchMs });
  await started().step(signal); // begins
  await pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE OF ${changed} EXECUTE FUNCTION refuse()`);
  try {
    await backfiller.step(signal).catch(() => undefined);
    await walk(backfiller, 1);
  } finally {
    await pool.query('DROP FUNCTION refuse CASCADE');
  }
  expect(await states()).toEqual({ [ALICE]: 'proven' });
});

describe('a wallet with a block of too many logs', () => {
  it('has its movements from the receipts, while other wallets are read in large windows', async () => {
    for (let count = 0; count < 12; count += 1) node.mine(pay(1n), pay(1n, BOB));
    respond(12n, refuseLogs(ALICE, 6));
    const backfiller = await watched([ALICE, BOB]);
    await walk(backfiller, 5);
    expect(await states()).toEqual({ [ALICE]: 'walking', [BOB]: 'proven' });
    await walk(backfiller, 25);
    expect(await states()).toEqual({ [ALICE]: 'proven', [BOB]: 'proven' });
    const { database } = ledger.test;
    expect(await database.ledgerEntry.count({ where: { blockNumber: 6n } })).toBe(2);
    expect(await database.ledgerEntry.count()).toBe(24);
  });

  it('leaves the windows of wallets that are watched later as large as they were', async () => {
    for (let count = 0; count < 12; count += 1) node.mine(pay(1n), pay(1n, BOB));
    respond(12n, refuseLogs(ALICE, 6));
    const backfiller = await watched([ALICE]);
    await walk(backfiller, 10); // down to windows of three blocks
    await ledger.watch(BOB);
    node.mine();
    await ledger.pass();
    await walk(backfiller, 5);
    expect(await states()).toEqual({ [ALICE]: 'walking', [BOB]: 'proven' });
  });

  it('goes on with its small windows after a restart', async () => {
    for (let count = 0; count < 12; count += 1) node.mine(pay(1n));
    respond(12n, refuseLogs(ALICE, 6));
    await watched([ALICE]);
    for (let restart = 0; restart < 25; restart += 1) await walk(started(), 1);
    expect(await states()).toEqual({ [ALICE]: 'proven' });
  });

  it('is unproven in the end when its receipts take too long, but not when anything else does', async () => {
    node.mine(pay(1n));
    let limit = new AbortController();
    const late = () => {
      limit.abort();
      return { error: { code: -32000, message: 'no' } };
    };
    const refuse = refuseLogs(ALICE, 1);
    let isReceipt = false;
    respond(1n, (call) => {
      if (call.method === 'eth_getTransactionReceipt') return late();
      const refusal = refuse(call);
      return refusal === undefined || isReceipt ? refusal : late();
    });
    await watched([ALICE]);
    const { database } = ledger.test;
    const backfiller = started({ ...NOW, readingLimit: () => (limit = new AbortController()).signal });
    const lastAttempt = async (): Promise<unknown> => {
      const place = { lowest: 2n, windowBlocks: 1, unreadable: 11, nextAt: new Date(0) };
      await database.walletBackfill.updateMany({ data: place });
      await walk(backfiller, 1);
      return (await states())[ALICE];
    };
    await walk(backfiller, 1); // begins
    expect(await lastAttempt()).toBe('walking');
    isReceipt = true;
    expect(await lastAttempt()).toBe('unproven');
    expect((await database.walletBackfill.findFirstOrThrow()).reason).toBe('the receipts of a block take too long');
  });

  it('is unproven in the end when the receipts are missing as well, but not while the node is down', async () => {
    node.mine(pay(1n));
    const refuse = refuseLogs(ALICE, 1);
    const failure = { error: { code: -32000, message: 'no' } };
    let isDown = false;
    respond(1n, (call) => {
      const isHead = call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest';
      if (call.method === 'eth_getTransactionReceipt' || (isDown && isHead)) return failure;
      return refuse(call);
    });
    const backfiller = await watched([ALICE]);
    await walk(backfiller, 12); // down to a window of one block, and its first failure
    const retryAfter = async (unreadable: number): Promise<unknown> => {
      // Failures of other kinds are no attempts at the block.
      await ledger.test.database.walletBackfill.updateMany({ data: { attempts: 50, unreadable, nextAt: new Date(0) } });
      await walk(backfiller, 1);
      return (await states())[ALICE];
    };
    expect(await retryAfter(10)).toBe('walking');
    isDown = true;
    expect(await retryAfter(11)).toBe('walking');
    isDown = false;
    expect(await retryAfter(11)).toBe('unproven');
    const { reason } = await ledger.test.database.walletBackfill.findFirstOrThrow();
    expect(reason).toContain('a block is incomplete');
  });
});
