import { randomUUID } from 'node:crypto';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import { Keypair, type PublicKey } from '@solana/web3.js';
import type { CustomerId } from '../../src/auth/principal';
import { listCoverage } from '../../src/ledger/coverage';
import { listMovements, type MovementFilter } from '../../src/ledger/list-movements';
import { runSolanaLedgerPass } from '../../src/ledger/solana/run-solana-ledger-pass';
import type { SolanaLedgerDeps } from '../../src/ledger/solana/solana-ledger-deps';
import { requestWatches, watchWallets } from '../../src/ledger/watch-wallets';
import { pay, SOL } from './local-solana';
import { trackedLocalSolana } from './tracked-local-solana';

export const addressOf = ({ publicKey }: Keypair): string => publicKey.toBase58();

export const accountOf = (owner: Keypair, mint: PublicKey): PublicKey =>
  getAssociatedTokenAddressSync(mint, owner.publicKey);

/** Instructions that send tokens, and open the account of the recipient when it is new. */
export const sendTokens = (
  from: Keypair,
  to: Keypair,
  { mint, amount }: { readonly mint: PublicKey; readonly amount: bigint },
) => [
  createAssociatedTokenAccountIdempotentInstruction(from.publicKey, accountOf(to, mint), to.publicKey, mint),
  createTransferInstruction(accountOf(from, mint), accountOf(to, mint), from.publicKey, amount),
];

/**
 * A local Solana chain whose movements are recorded. To be called once, outside of tests: it registers the hooks that start and
 * stop them.
 */
export function recordedLocalSolana() {
  const chain = trackedLocalSolana();
  const replicaId = randomUUID();
  const chainId = () => chain.local.chain().chainId;
  const readDeps = () => ({
    database: chain.test.database,
    pool: chain.test.pool,
    chains: chain.local.chains().table,
    watch: { maxWatchedWallets: 10 },
    isIndexed: () => true,
  });
  const ledgerDeps = (changes: Partial<SolanaLedgerDeps['solana']> = {}): SolanaLedgerDeps => ({
    database: chain.test.database,
    solana: { ...chain.solana, ...changes },
    chains: chain.local.chains().table,
    log: { info: () => undefined, warn: () => undefined },
    replicaId,
  });
  return {
    chain,
    chainId,
    ledgerDeps,
    /** Passes over all wallets. A wallet is read again at once when a reading was not complete. */
    async run(passes = 3, deps = ledgerDeps()): Promise<void> {
      for (let pass = 0; pass < passes; pass += 1) {
        await chain.test.database.$executeRaw`UPDATE "SolanaWallet" SET "nextAt" = now() - interval '1 second'`;
        await chain.test.database.$executeRaw`UPDATE "SolanaSignature" SET "nextAt" = now() - interval '1 second'`;
        await runSolanaLedgerPass(deps, chainId());
      }
    },
    async watch(customerId: CustomerId, ...wallets: readonly Keypair[]): Promise<void> {
      const addresses = wallets.map(addressOf);
      const { database } = chain.test;
      await database.customerWallet.createMany({ data: addresses.map((address) => ({ customerId, address })) });
      await requestWatches(database, { customerId, addresses });
      await watchWallets({ database, watch: { maxWatchedWallets: 10 }, solanaChainIds: [chainId()] });
    },
    async movementsOf(customerId: CustomerId, wallet: Keypair, filter: MovementFilter = {}) {
      const [list] = await listMovements(readDeps(), { customerId, addresses: [addressOf(wallet)], filter });
      return list!;
    },
    async coverageOf(customerId: CustomerId, wallet: Keypair) {
      const [coverage] = await listCoverage(readDeps(), { customerId, addresses: [addressOf(wallet)] });
      return coverage!;
    },
    /** A new wallet with SOL for its fees. */
    async fundedWallet(): Promise<Keypair> {
      const wallet = Keypair.generate();
      await chain.local.send([pay(chain.local.alice, wallet.publicKey, SOL)]);
      return wallet;
    },
  };
}
