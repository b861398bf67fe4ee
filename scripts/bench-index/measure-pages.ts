import { listMovements, type MovementFilter } from '../../src/ledger/list-movements';
import { runForCustomer } from '../../src/persistence/customer-scope';
import { openScopedDatabase } from '../../src/persistence/database';
import { CHAIN_ID, openScriptedLedger, type ScriptedLedger, TOKEN, wallet } from '../../test/ledger/scripted-ledger';

/** The time of one page of the movements of a wallet. */
export interface MeasuredPage {
  readonly title: string;
  readonly pageMs: number;
}

const MOVEMENTS = 300_000;
const RUNS = 20;

/** Pages of a wallet with many movements, as the role and for the customer of a request; the fastest of some runs. */
export async function measurePages(): Promise<readonly MeasuredPage[]> {
  const ledger = await openScriptedLedger();
  try {
    await ledger.watch(wallet(1));
    await ledger.pass();
    await fill(ledger);
    const scoped = openScopedDatabase({ url: ledger.test.url, poolSize: 4, servicePoolSize: 1, log: console });
    const { deps, customerId } = ledger;
    const measured = { deps: { ...deps, database: scoped.database }, customerId };
    try {
      return await runForCustomer(customerId, () => measureEach(measured));
    } finally {
      await scoped.close();
    }
  } finally {
    await ledger.stop();
  }
}

type Measured = Pick<ScriptedLedger, 'deps' | 'customerId'>;

async function measureEach(ledger: Measured): Promise<readonly MeasuredPage[]> {
  const middle = await readPage(ledger, { first: 100 });
  return [
    { title: 'the newest 20', pageMs: await fastest(ledger, {}) },
    { title: 'the next 20', pageMs: await fastest(ledger, { after: middle.pageInfo.endCursor }) },
    { title: 'of one chain', pageMs: await fastest(ledger, { chainId: CHAIN_ID }) },
    { title: 'of one token', pageMs: await fastest(ledger, { token: TOKEN }) },
    { title: 'of a token without any', pageMs: await fastest(ledger, { token: wallet(9) }) },
  ];
}

async function fill({ test }: ScriptedLedger): Promise<void> {
  await test.pool.query(
    `INSERT INTO "LedgerEntry" ("chainId", "txHash", "logIndex", part, "blockNumber", "blockHash", "blockTime", "walletId",
                                token, kind, amount, counterparty)
     SELECT $1::bigint, sha256(number::text::bytea), number % 10, 1, number / 10, sha256('a'), to_timestamp(1700000000 + number / 10), wallet.id,
            CASE WHEN number % 100 = 0 THEN $2 ELSE $3 END, 'transferIn', number + 1, $3
       FROM generate_series(1, ${String(MOVEMENTS)}) AS number, "WatchedWallet" AS wallet`,
    [CHAIN_ID, TOKEN, wallet(5)],
  );
  await test.pool.query(`UPDATE "IndexCursor" SET number = ${String(MOVEMENTS)}`);
  await test.pool.query('UPDATE "WalletCoverage" SET "fromBlock" = 0, "visibleFrom" = 0');
  await test.pool.query('ANALYZE');
}

const readPage = async ({ deps, customerId }: Measured, filter: MovementFilter) => {
  const [page] = await listMovements(
    { ...deps, isIndexed: () => true },
    { customerId, addresses: [wallet(1)], filter },
  );
  if (page === undefined) throw new TypeError('the wallet has no page');
  return page;
};

async function fastest(ledger: Measured, filter: MovementFilter): Promise<number> {
  let best = Infinity;
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    await readPage(ledger, filter);
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}
