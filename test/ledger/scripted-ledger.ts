import { randomUUID } from 'node:crypto';
import { type Hex, pad, toHex } from 'viem';
import type { CustomerId } from '../../src/auth/principal';
import type { Chain } from '../../src/chains/chain';
import { createChainTable } from '../../src/chains/chain-table';
import type { LedgerDeps } from '../../src/ledger/ledger-deps';
import { type ChainLedger, createChainLedger } from '../../src/ledger/run-ledger-pass';
import { TRANSFER_TOPIC } from '../../src/tokens/transfer-topic';
import { requestWatches, watchWallets } from '../../src/ledger/watch-wallets';
import { readHead } from '../../src/rpc/head-reader';
import { rpcOf } from '../actions/local-tracker';
import { newCustomer } from '../actions/sample-action';
import { someChain } from '../actions/sample-transfer';
import { type ScriptedChain, type ScriptedTransaction, startScriptedChain } from '../actions/scripted-chain';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';

export const CHAIN_ID = 31337;
export const TOKEN = `0x${'70'.repeat(20)}`;
const { signal } = new AbortController();

/** The chain of the scripted node. */
export const scriptedChainOf = (confirmations: number): Chain => someChain(CHAIN_ID, { confirmations });

/** An address by a number. */
export const wallet = (number: number): string => pad(toHex(number + 0xa000), { size: 20 });

export interface Sent {
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly token?: string;
}

/** A transaction with the events of these transfers. */
export const transfers = (...sent: readonly Sent[]): ScriptedTransaction => ({
  from: wallet(0),
  to: TOKEN,
  logs: sent.map(({ from, to, amount, token = TOKEN }) => ({
    address: token,
    topics: [TRANSFER_TOPIC, pad(from as Hex), pad(to as Hex)],
    data: toHex(amount, { size: 32 }),
  })),
});

/** An entry in the order of the chain: block, kind, sender or receiver, amount. */
export type EntryText = string;

export interface ScriptedLedger {
  readonly node: ScriptedChain;
  readonly test: TestDatabase;
  readonly deps: LedgerDeps;
  readonly customerId: CustomerId;
  readonly ledger: ChainLedger;
  pass(): ReturnType<ChainLedger['pass']>;
  /** Passes until nothing is left to read. */
  catchUp(): Promise<void>;
  /** Adds wallets of the customer and watches them. */
  watch(...addresses: readonly string[]): Promise<void>;
  /** Another process with the same node. */
  replica(): ChainLedger;
  entries(): Promise<readonly EntryText[]>;
  cursor(): Promise<{ readonly number: bigint; readonly hash: string; readonly state: string; finalNumber: bigint }>;
  quarantined(): Promise<number>;
  stop(): Promise<void>;
}

export interface ScriptedLedgerOptions {
  readonly confirmations?: number;
  readonly maxResponseBytes?: number;
  readonly timeoutMs?: number;
  readonly maxWatchedWallets?: number;
  /** Another node of the chain than the scripted one of this process. */
  readonly rpcUrl?: string;
}

/** A ledger of a chain whose node is scripted. */
export async function openScriptedLedger(options: ScriptedLedgerOptions = {}): Promise<ScriptedLedger> {
  const [node, test] = await Promise.all([startScriptedChain(), createTestDatabase()]);
  const chain = scriptedChainOf(options.confirmations ?? 50);
  const rpc = rpcOf(chain, options.rpcUrl ?? node.rpcUrl, {
    maxResponseBytes: options.maxResponseBytes ?? 100_000,
    timeoutMs: options.timeoutMs ?? 8000,
  });
  const deps = {
    database: test.database,
    rpc,
    chains: createChainTable([chain]),
    heads: { read: (chainId: number) => readHead(rpc.client(chainId)) },
    log: { info: () => undefined, warn: () => undefined },
    replicaId: randomUUID(),
    watch: { maxWatchedWallets: options.maxWatchedWallets ?? 1000 },
    backfillBlocks: 0,
  } satisfies LedgerDeps;
  const ledger = createChainLedger(deps, CHAIN_ID);
  const customerId = newCustomer();
  return {
    node,
    test,
    deps,
    customerId,
    ledger,
    pass: () => ledger.pass(signal),
    async catchUp() {
      for (let count = 0; (await ledger.pass(signal)) === 'behind'; count += 1) {
        if (count > 50) throw new TypeError('the ledger does not end');
      }
    },
    async watch(...addresses) {
      const data = addresses.map((address) => ({ customerId, address }));
      await test.database.customerWallet.createMany({ data });
      await requestWatches(test.database, { customerId, addresses });
      await watchWallets(deps);
    },
    replica: () => createChainLedger({ ...deps, replicaId: randomUUID() }, CHAIN_ID),
    async entries() {
      const { number } = await test.database.indexCursor.findFirstOrThrow();
      const rows = await test.database.ledgerEntry.findMany({
        where: { blockNumber: { lte: number } },
        orderBy: [{ blockNumber: 'asc' }, { logIndex: 'asc' }, { part: 'asc' }],
      });
      return rows.map(({ blockNumber, kind, counterparty, amount }) =>
        [blockNumber.toString(), kind, counterparty, amount.toFixed(0)].join(' '),
      );
    },
    cursor: () => test.database.indexCursor.findFirstOrThrow(),
    quarantined: () => test.database.quarantine.count({ where: { stage: 'ledger' } }),
    async stop() {
      await Promise.all([node.stop(), test.drop()]);
    },
  };
}
