import { CHAIN_ID, openScriptedLedger, type ScriptedLedger, TOKEN, wallet } from '../../test/ledger/scripted-ledger';
import { emptyDatabase } from '../../test/setup/test-database';
import { untilBlocked } from '../../test/setup/until-blocked';
import type { ClaimedQuarantineItem } from '../actions/state/quarantine';
import { MAX_OPERATIONS_PER_BLOCK, type SearchableBlock, searchable } from './find-operation';
import type { AccountOperation } from './operation-logs';
import { recordBlockMovements } from './record-block-movements';
import { recordMovements, UnconfirmedCoinError } from './record-movements';
import { replaceBlock } from './replace-block';
import { MAX_ENTRIES_PER_COMMIT, stageEntries } from './stage-entries';

const [SAFE, OTHER_SAFE, BOB, OWNER] = [wallet(1), wallet(2), wallet(3), wallet(4)];
const [ENTRY_POINT, HASH] = [wallet(50), `0x${'5a'.repeat(32)}`];

let ledger: ScriptedLedger;
beforeAll(async () => {
  ledger = await openScriptedLedger();
});
afterAll(() => ledger.stop());
beforeEach(async () => {
  await emptyDatabase(ledger.test);
  await ledger.watch(SAFE, OTHER_SAFE);
  await ledger.pass();
});

type Sides = readonly (readonly [string, string])[];
const MANY: Sides = Array.from({ length: MAX_ENTRIES_PER_COMMIT / 2 }, () => [SAFE, OTHER_SAFE] as const);

/** The next block, as if the node had shown these events of one transaction in it. */
async function readBlock(sides: Sides, operations = 0) {
  const parent = await ledger.cursor();
  const [blockHash, txHash] = [`0x${'22'.repeat(32)}`, `0x${'33'.repeat(32)}`];
  const evidence = { hasLogs: true, mayHaveTopic: true };
  const place = { number: parent.number + 1n, hash: blockHash, parentHash: parent.hash, time: new Date(0) };
  const header = { ...place, evidence, coins: [], batches: new Set<string>() };
  const end = { kind: 'userOperation', account: SAFE, hash: HASH, contract: ENTRY_POINT } as const;
  const moved = sides.map(([from, to], logIndex) => ({
    blockHash,
    txHash,
    logIndex,
    token: TOKEN,
    from,
    to,
    amount: 1n,
  }));
  const ended = Array<AccountOperation>(operations).fill({ blockHash, txHash, logIndex: sides.length, ...end });
  const block = { header, transfers: moved, operations: ended, batchStarts: [] };
  return { parent, blocks: [searchable(block)], number: place.number };
}

/** Records the next block. */
async function record(sides: Sides, operations = 0): Promise<bigint> {
  const { number, ...read } = await readBlock(sides, operations);
  await recordBlockMovements(ledger.deps, { ...read, chainId: CHAIN_ID, headNumber: number, finalNumber: 0n });
  return number;
}

describe('a block that any contract can fill', () => {
  it('with too many operations to search is complete: its movements are recorded without them', async () => {
    await record([[SAFE, BOB]], MAX_OPERATIONS_PER_BLOCK + 1);
    const entries = await ledger.test.database.ledgerEntry.findMany();
    expect(entries.map((entry) => entry.operation)).toEqual([null]);
    expect(await ledger.quarantined()).toBe(0);
  });

  it('with very many movements is recorded once, in several transactions, whatever wallets are watched meanwhile', async () => {
    const { database } = ledger.test;
    let recorded: Promise<bigint> | undefined;
    await database.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM "WatchedWallet" FOR UPDATE`;
      recorded = record([...MANY, [SAFE, BOB]]);
      await untilBlocked(ledger.test);
      await ledger.watch(BOB, OWNER);
    });
    const number = await recorded;
    expect((await ledger.cursor()).number).toBe(number);
    const parts = await database.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM "LedgerEntry" GROUP BY xmin::text ORDER BY 1`;
    expect(parts.map(({ count }) => count)).toEqual([1, MAX_ENTRIES_PER_COMMIT]);
    const coveredFrom = async (address: string) => {
      const { id: walletId } = await database.watchedWallet.findFirstOrThrow({ where: { address } });
      return (await database.walletCoverage.findFirstOrThrow({ where: { walletId } })).fromBlock;
    };
    const covered = () => Promise.all([SAFE, OWNER, BOB].map(coveredFrom));
    expect(await covered()).toEqual([number, number, null]);
    expect(await record([])).toBe(number! + 1n);
    expect(await covered()).toEqual([number, number, number! + 1n]);
  });

  it('with very many movements is recorded without a wallet that is forgotten meanwhile', async () => {
    const { database } = ledger.test;
    const { parent, blocks } = await readBlock([...MANY, [SAFE, BOB]]);
    const staged = await stageEntries(ledger.deps, CHAIN_ID, { parent, blocks });
    const { id: walletId } = await database.watchedWallet.findFirstOrThrow({ where: { address: OTHER_SAFE } });
    const commit = () =>
      database.$transaction((tx) => recordMovements(tx, CHAIN_ID, { blocks, backfillBlocks: 0, staged }));
    await database.ledgerEntry.deleteMany({ where: { walletId, logIndex: 0 } });
    await expect(commit()).rejects.toThrow(UnconfirmedCoinError);
    await database.ledgerEntry.deleteMany({ where: { walletId } });
    await database.watchedWallet.delete({ where: { id: walletId } });
    expect(await commit()).toBe(MANY.length + 1);
  });
});

describe('a block with very many movements that is complete in the end', () => {
  const claimed = async ({ header: { number, hash } }: SearchableBlock): Promise<ClaimedQuarantineItem> => {
    const item = { chainId: CHAIN_ID, stage: 'ledger', item: hash } as const;
    const block = { blockNumber: number, blockHash: hash };
    await ledger.test.database.quarantine.create({ data: { ...item, ...block, error: 'no', nextAt: new Date() } });
    return { ...item, attempts: 1, block: { number, hash } };
  };
  const entry = async (block: SearchableBlock, logIndex: number) => {
    const { id: walletId } = await ledger.test.database.watchedWallet.findFirstOrThrow({ where: { address: SAFE } });
    const { number: blockNumber, time: blockTime } = block.header;
    const hashes = { txHash: Buffer.alloc(32, 7), blockHash: Buffer.alloc(32, 0x22) };
    const place = { chainId: CHAIN_ID, ...hashes, blockNumber, blockTime, logIndex, part: 0, walletId };
    return { ...place, token: TOKEN, kind: 'transferOut', amount: 9, counterparty: BOB };
  };

  it('has its entries replaced in several transactions, and stays incomplete until the last one', async () => {
    const { database } = ledger.test;
    const [block] = (await readBlock([...MANY, [SAFE, BOB]])).blocks;
    const item = await claimed(block!);
    await database.ledgerEntry.createMany({ data: await Promise.all([-5, 3, 70_000].map((at) => entry(block!, at))) });
    await replaceBlock(ledger.deps, item, block!);
    const parts = await database.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM "LedgerEntry" WHERE amount = 1 GROUP BY xmin::text ORDER BY 1`;
    expect(parts.map(({ count }) => count)).toEqual([1, MAX_ENTRIES_PER_COMMIT]);
    expect(await database.ledgerEntry.count()).toBe(MAX_ENTRIES_PER_COMMIT + 1);
    expect(await ledger.quarantined()).toBe(0);
    expect((await database.watchedWallet.findFirstOrThrow({ where: { address: SAFE } })).entriesOfDay).toBe(
      MANY.length + 1,
    );
  });

  it('keeps the entries of today when it was set aside again meanwhile', async () => {
    const { database } = ledger.test;
    const [block] = (await readBlock([...MANY, [SAFE, BOB]])).blocks;
    const item = await claimed(block!);
    await database.ledgerEntry.create({ data: await entry(block!, 3) });
    await replaceBlock(ledger.deps, { ...item, attempts: 2 }, block!);
    expect([await database.ledgerEntry.count(), await ledger.quarantined()]).toEqual([1, 1]);
  });
});
