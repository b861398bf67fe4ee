import type { Logger } from 'pino';
import type { ChainTable } from '../../chains/chain-table';
import type { Database } from '../../persistence/database';
import type { SolanaRpc } from '../../rpc/solana/solana-rpc';

/** Dependencies of the ledger of Solana wallets. */
export interface SolanaLedgerDeps {
  readonly database: Database;
  readonly solana: Pick<
    SolanaRpc,
    'serves' | 'finalizedSlot' | 'ownedTokensOfEach' | 'signaturePages' | 'eachTransaction'
  >;
  readonly chains: ChainTable;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** UUID of this replica. Tracker and ledger of a chain run on the replica that holds its lease. */
  readonly replicaId: string;
  /** Duration of a lease; 30 by default. */
  readonly leaseSeconds?: number;
  /** Milliseconds between two readings of a wallet that moves; 5,000 by default. */
  readonly readEveryMs?: number;
  /** Milliseconds after which a pass reads the first wallet of each customer only; 10,000 by default. */
  readonly maxPassMs?: number;
}

/** Stream of this ledger in the table of cursors. */
export const SIGNATURES = 'signatures';

/** Bounds of the reading of one wallet. */
export const LIMITS = {
  /** Accounts whose transactions are read: the wallet, and its token accounts. With as many, the wallet may have more. */
  accounts: 100,
  /** Signatures of an account that are read from before it was watched: two pages, which have one in common. */
  history: 1999,
  /** Signatures of one page. */
  page: 1000,
  /** Pages of each account in one reading. */
  pages: 5,
  /** Transactions that one reading reads. */
  transactions: 100,
  /** Transactions of a wallet that wait and are readable, above which no further signatures are read. */
  waiting: 5000,
} as const;
