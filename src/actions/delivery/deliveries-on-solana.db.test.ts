import { Keypair } from '@solana/web3.js';
import { poll, noMarket, noServiceWallet } from '../../../test/actions/delivery-desk';
import {
  BRIDGE,
  createSampleTransfer,
  scriptedSource,
  recordOrigin,
  someChain,
} from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { type LocalSolana, startLocalSolana } from '../../../test/solana/local-solana';
import { solanaTracker, localSolanaToken, transferAction } from '../../../test/solana/solana-actions';
import { createChainTable } from '../../chains/chain-table';
import { toBaseUnits } from '../../money/base-units';
import type { DeliveryState } from '../../venues/delivery-source';
import { createSolanaRpc, type SolanaRpc } from '../../rpc/solana/solana-rpc';
import { transferInstructions } from '../../transactions/transfers/solana/transfer-instructions';
import { toWeb3Instruction } from '../../transactions/execution/solana/instructions';
import type { DeliveryDeps } from './delivery-deps';

const FINAL = 5;
const AMOUNT = 99_000_000n;
const { signal } = new AbortController();
const silent = { info: () => undefined, warn: () => undefined };
const source = scriptedSource();

let local: LocalSolana;
let solana: SolanaRpc;
let test: TestDatabase;
let tracker: ReturnType<typeof solanaTracker>;
beforeAll(async () => {
  [local, test] = await Promise.all([startLocalSolana(), createTestDatabase()]);
  solana = createSolanaRpc({ chains: local.chains(), log: silent });
  tracker = solanaTracker({ local, solana, database: test.database });
});
afterAll(async () => {
  await Promise.all([solana.close(), test.drop()]);
  await local.stop();
});

const deps = (): DeliveryDeps => ({
  database: test.database,
  rpc: { serves: () => false } as unknown as DeliveryDeps['rpc'],
  solana,
  log: silent,
  chains: createChainTable([local.chain(), someChain(31337)]),
  ...noMarket,
  ...noServiceWallet,
  pollMs: 20,
  sources: new Map([[BRIDGE, source]]),
});

/** Pays a recipient as a provider does. Resolves to the signature. */
async function paid(recipient: string, { amount = AMOUNT, symbol = 'BRS' } = {}): Promise<string> {
  const sender = local.bob.publicKey.toBase58();
  const order = {
    token: localSolanaToken(local, symbol),
    amount: toBaseUnits(amount),
    sender,
    recipient,
    memo: undefined,
  };
  const { instructions } = await transferInstructions({ solana }, { ...order, signal });
  return local.send(instructions.map(toWeb3Instruction), { signers: [local.bob] });
}

const newWallet = (): string => Keypair.generate().publicKey.toBase58();

/** A transfer to a Solana wallet, or with `out` from one, whose origin transaction is final. */
async function transfer(wallet: string, { out = false } = {}): Promise<string> {
  const brs = localSolanaToken(local, 'BRS');
  const { chainId } = brs;
  const { id } = await createSampleTransfer(
    test.database,
    out
      ? { chainIdIn: chainId, chainIdOut: 31337, tokenIn: brs, originAddress: wallet }
      : { chainIdOut: chainId, tokenOut: brs, receiverAddress: wallet },
  );
  await recordOrigin(test.database, id);
  return id;
}

const delivered = (txHash: string, partial = false): DeliveryState => ({
  status: 'delivered',
  txHash,
  amount: toBaseUnits(AMOUNT),
  partial,
});
const refunded = (txHash: string): DeliveryState => ({
  status: 'refunded',
  chainId: local.chain().chainId,
  txHash,
  amount: undefined,
  reason: 'the bank refused',
});

async function pollState(id: string, state: DeliveryState) {
  source.respondWith(state);
  await poll(deps(), id);
  return test.database.action.findUniqueOrThrow({ where: { id } });
}

const settled = async (id: string) => {
  await local.advance(FINAL);
  await tracker.run();
  return test.database.action.findUniqueOrThrow({ where: { id } });
};

const NOWHERE = '5'.repeat(88);

describe('a delivery on Solana', () => {
  it('counts when its transaction moved the token and is final, with the amount that it moved', async () => {
    const wallet = newWallet();
    const id = await transfer(wallet);
    const pending = await pollState(id, delivered(await paid(wallet, { amount: AMOUNT + 7n })));
    expect([pending.status, pending.substatus]).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    const action = await settled(id);
    expect([action.status, action.amountOut.toFixed()]).toEqual(['SUCCESS', (AMOUNT + 7n).toString()]);
  });

  it.each<[string, (wallet: string) => Promise<string>]>([
    ['the chain does not have', () => Promise.resolve(NOWHERE)],
    ['paid another wallet', () => paid(newWallet())],
    ['moved another token', (wallet) => paid(wallet, { symbol: 'BRZ', amount: 1n })],
  ])('does not count by a transaction that %s', async (_, transaction) => {
    const wallet = newWallet();
    const id = await transfer(wallet);
    const action = await pollState(id, delivered(await transaction(wallet)));
    expect([action.status, action.substatus]).toEqual(['PENDING', 'WAITING_DESTINATION']);
  });

  it('does not count by a transaction that executes another action', async () => {
    const [sender, wallet] = [local.bob.publicKey.toBase58(), newWallet()];
    const world = { local, solana, database: test.database };
    const order = { symbol: 'BRS', amount: AMOUNT, sender, recipient: wallet };
    const { rawTransaction } = await transferAction(world, order);
    const id = await transfer(wallet);
    const action = await pollState(id, delivered(await local.sign(rawTransaction, local.bob)));
    expect([action.status, action.substatus]).toEqual(['PENDING', 'WAITING_DESTINATION']);
  });

  it('of less than the minimum, or of another token, fails as PARTIAL', async () => {
    const wallets = [newWallet(), newWallet()] as const;
    const [less, other] = [await transfer(wallets[0]), await transfer(wallets[1])];
    await pollState(less, delivered(await paid(wallets[0], { amount: 90_000_000n })));
    await pollState(other, delivered(await paid(wallets[1], { symbol: 'BRZ', amount: 5n }), true));
    await settled(less);
    for (const id of [less, other]) {
      const action = await test.database.action.findUniqueOrThrow({ where: { id } });
      expect([action.status, action.substatus]).toEqual(['FAILED', 'PARTIAL']);
    }
  });
});

describe('a refund on Solana', () => {
  it('counts once, when its transaction returned the token and is final', async () => {
    const wallet = newWallet();
    const id = await transfer(wallet, { out: true });
    const txHash = await paid(wallet, { amount: 100_000_000n });
    const waiting = await pollState(id, refunded(txHash));
    expect([waiting.status, waiting.substatus]).toEqual(['PENDING', 'REFUND_SENT']);
    await local.advance(FINAL);
    const action = await pollState(id, refunded(txHash));
    expect([action.status, action.failureReason]).toEqual(['REFUNDED', 'the bank refused']);
    const step = await test.database.actionStep.findFirstOrThrow({ where: { actionId: id, kind: 'REFUND' } });
    expect(step).toMatchObject({ txHash, status: 'CONFIRMED', blockHash: txHash });
    // Created here: every delivery that is due gets the same response, and the first one takes the transaction.
    const second = await transfer(wallet, { out: true });
    expect((await pollState(second, refunded(txHash))).status).toBe('PENDING');
  });

  it.each<[string, () => Promise<string>]>([
    ['the chain does not have', () => Promise.resolve(NOWHERE)],
    ['paid another wallet', () => paid(newWallet())],
  ])('does not count by a transaction that %s', async (_, transaction) => {
    const id = await transfer(newWallet(), { out: true });
    const txHash = await transaction();
    await local.advance(FINAL);
    const action = await pollState(id, refunded(txHash));
    expect([action.status, action.substatus]).toEqual(['PENDING', 'REFUND_QUEUED']);
  });
});
