import type { Pool } from 'pg';
import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';
import type { ChainTable } from '../chains/chain-table';
import { ledgerStates, type LedgerStatus } from './ledger-states';

export interface CoverageDeps {
  readonly database: Pick<Database, '$queryRaw'>;
  readonly pool: Pick<Pool, 'query'>;
  readonly chains: ChainTable;
  readonly isIndexed: (slug: string) => boolean;
}

/** Which blocks of a chain the movements of a wallet are recorded of. */
export interface MovementCoverage {
  readonly chainId: number;
  /** The first block, and the newest one; null before the first was read. */
  readonly fromBlock: number | null;
  readonly toBlock: number | null;
  /** Blocks between that could not be read completely. */
  readonly incompleteBlocks: number;
  /** True when no movement behind `fromBlock` is missing, up to the newest blocks of the chain. */
  readonly isComplete: boolean;
  readonly status: LedgerStatus;
  /** Blocks between the newest recorded one and the head of the chain, and its age in seconds. */
  readonly lagBlocks: number;
  readonly lagSeconds: number;
}

interface Row {
  readonly wallet: string;
  readonly chainId: bigint;
  readonly fromBlock: bigint | null;
  readonly incomplete: number;
}

/** The coverage of several wallets of a customer, in their order. A wallet that the customer does not watch has none. */
export async function listCoverage(
  { database, pool, chains, isIndexed }: CoverageDeps,
  { customerId, addresses }: { readonly customerId: CustomerId; readonly addresses: readonly string[] },
): Promise<readonly (readonly MovementCoverage[])[]> {
  const [rows, states] = await Promise.all([
    database.$queryRaw<Row[]>`
      SELECT wallet.address AS wallet, coverage."chainId", coverage."fromBlock",
             (SELECT count(*)::int FROM "Quarantine" AS item
               WHERE item."chainId" = coverage."chainId" AND item.stage = 'ledger'
                 AND item."blockNumber" >= coverage."fromBlock") AS incomplete
        FROM "WatchedWallet" AS wallet
        JOIN "WalletWatch" AS watch ON watch."walletId" = wallet.id AND watch."customerId" = ${customerId}::uuid
        JOIN "WalletCoverage" AS coverage ON coverage."walletId" = wallet.id
       WHERE wallet.address = ANY (${addresses.map((address) => address.toLowerCase())}::text[])
       ORDER BY coverage."chainId"`,
    ledgerStates(pool),
  ]);
  const stateOf = new Map(states.map((state) => [state.chainId, state]));
  const viewOf = ({ chainId: id, fromBlock: first, incomplete }: Row): readonly MovementCoverage[] => {
    const chainId = Number.parseInt(id.toString(), 10);
    const [chain, state] = [chains.byId(chainId), stateOf.get(chainId)];
    if (chain === undefined || state === undefined || !isIndexed(chain.slug)) return [];
    const from = first === null ? null : Number.parseInt(first.toString(), 10);
    // After a reorganisation or during a replay the ledger may be in front of the first block.
    const isStarted = from !== null && from <= state.blockNumber;
    return [
      {
        chainId,
        fromBlock: from,
        toBlock: isStarted ? state.blockNumber : null,
        incompleteBlocks: incomplete,
        isComplete: isStarted && incomplete === 0 && state.status === 'ok',
        status: state.status,
        lagBlocks: state.lagBlocks,
        lagSeconds: state.lagSeconds,
      },
    ];
  };
  return addresses.map((address) => rows.filter(({ wallet }) => wallet === address.toLowerCase()).flatMap(viewOf));
}
