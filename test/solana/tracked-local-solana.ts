import { Keypair } from '@solana/web3.js';
import { createSolanaRpc, type SolanaRpc } from '../../src/rpc/solana/solana-rpc';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { type LocalSolana, startLocalSolana } from './local-solana';
import { solanaTracker, transferAction, type TransferActionOptions } from './solana-actions';

/** Slots after which a transaction of the local chain is final. */
export const FINAL = 5;

/**
 * A local Solana chain for the whole test file, and for each test a database with a tracker. To be called once, outside of
 * tests: it registers the hooks that start and stop them.
 */
export function trackedLocalSolana() {
  let local: LocalSolana;
  let solana: SolanaRpc;
  let test: TestDatabase;
  let tracker: ReturnType<typeof solanaTracker>;
  const world = () => ({ local, solana, database: test.database });

  beforeAll(async () => {
    local = await startLocalSolana();
    solana = createSolanaRpc({ chains: local.chains(), log: { warn: () => undefined } });
  });
  afterAll(async () => {
    await solana.close();
    await local.stop();
  });
  beforeEach(async () => {
    test = await createTestDatabase();
    tracker = solanaTracker(world());
  });
  afterEach(() => test.drop());

  const actionOf = (id: string) => test.database.action.findUniqueOrThrow({ where: { id } });
  return {
    get local() {
      return local;
    },
    get solana() {
      return solana;
    },
    get test() {
      return test;
    },
    get tracker() {
      return tracker;
    },
    world,
    actionOf,
    /** Creates an action that transfers 2.5 USDC of Alice to a new wallet, unless other terms are given. */
    order: (given: Partial<TransferActionOptions> = {}) =>
      transferAction(world(), {
        symbol: 'USDC',
        amount: 2_500_000n,
        sender: local.alice.publicKey.toBase58(),
        recipient: Keypair.generate().publicKey.toBase58(),
        ...given,
      }),
    /** The first step of an action. */
    stepOf: (id: string) => test.database.actionStep.findFirstOrThrow({ where: { actionId: id, stepIndex: 0 } }),
    statusOf: async (id: string) => {
      const { status, substatus } = await actionOf(id);
      return [status, substatus];
    },
  };
}
