import { randomUUID } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { historyOf } from '../../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../../test/setup/test-database';
import { type LocalSolana, memo, pay, SOL, startLocalSolana } from '../../../../test/solana/local-solana';
import {
  solanaTracker,
  localSolanaToken,
  transferAction,
  type TransferActionOptions,
} from '../../../../test/solana/solana-actions';
import { createSolanaRpc, type SolanaRpc } from '../../../rpc/solana/solana-rpc';
import { toWeb3Instruction } from '../../../transactions/execution/solana/instructions';
import { expireActions } from '../../state/expire-actions';
import { startSolanaTracker } from './start-solana-tracker';

const FINAL = 5;
let local: LocalSolana;
let solana: SolanaRpc;
let test: TestDatabase;
let alice: Keypair;
let bob: Keypair;
let tracker: ReturnType<typeof solanaTracker>;

beforeAll(async () => {
  local = await startLocalSolana();
  ({ alice, bob } = local);
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

const world = () => ({ local, solana, database: test.database });
const order = (given: Partial<TransferActionOptions> = {}) =>
  transferAction(world(), {
    symbol: 'USDC',
    amount: 2_500_000n,
    sender: alice.publicKey.toBase58(),
    recipient: Keypair.generate().publicKey.toBase58(),
    ...given,
  });
const actionOf = (id: string) => test.database.action.findUniqueOrThrow({ where: { id } });
const stepOf = (id: string) => test.database.actionStep.findFirstOrThrow({ where: { actionId: id, stepIndex: 0 } });
const statusOf = async (id: string) => {
  const { status, substatus } = await actionOf(id);
  return [status, substatus];
};

describe('the tracker of a Solana chain', () => {
  it('follows a token transfer from its confirmation to its finality', async () => {
    expect(await tracker.run()).toBe('idle');
    const { id, rawTransaction } = await order();
    await tracker.run();
    expect(await statusOf(id)).toEqual(['INITIAL', 'WAITING_ORIGIN']);
    const signature = await local.sign(rawTransaction, alice);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    expect(await stepOf(id)).toMatchObject({ status: 'SUBMITTED', txHash: signature, minedAt: expect.any(Date) });
    await local.advance(FINAL - 2);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await local.advance(1);
    await tracker.run();
    expect(await historyOf(test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
    const action = await actionOf(id);
    expect([action.amountIn, action.amountOut].map(String)).toEqual(['2500000', '2500000']);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash: signature });
    expect(await tracker.run()).toBe('idle');
  });

  it('reports the sent and received amounts of SOL without the fee', async () => {
    const { id, rawTransaction } = await order({ symbol: 'SOL', amount: 1_234_567_890n });
    await local.sign(rawTransaction, alice);
    await local.advance(FINAL);
    await tracker.run();
    const action = await actionOf(id);
    expect(action.status).toBe('SUCCESS');
    expect([action.amountIn, action.amountOut].map(String)).toEqual(['1234567890', '1234567890']);
  });

  it('finds the transaction that a caller composed of the instructions and others', async () => {
    const { id, instructions } = await order();
    const own = [...instructions.map(toWeb3Instruction), memo('mine'), pay(alice, bob.publicKey, 1)];
    const signature = await local.send(own);
    await local.advance(FINAL);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['SUCCESS', null]);
    expect(await stepOf(id)).toMatchObject({ txHash: signature });
  });

  it('ignores a transaction that only names the reference', async () => {
    const recipient = Keypair.generate().publicKey.toBase58();
    const { id, instructions, rawTransaction } = await order({ recipient });
    const carrier = instructions.at(-1)!;
    const named = toWeb3Instruction(carrier);
    // Another wallet names it…
    const foreign = carrier.accounts.map((account) =>
      account.isSigner || account.isWritable ? { ...account, pubkey: bob.publicKey.toBase58() } : account,
    );
    await local.send([toWeb3Instruction({ ...carrier, accounts: foreign })], { signers: [bob] });
    // …the wallet names it and sends less, another token, to another recipient, or nothing.
    for (const different of [{ recipient, amount: 2_499_999n }, { recipient, symbol: 'BRZ' }, {}]) {
      const another = await order(different);
      await local.send([...another.instructions.slice(2, -1).map(toWeb3Instruction), named]);
    }
    await local.send([named]);
    await local.advance(FINAL);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['INITIAL', 'WAITING_ORIGIN']);
    const signature = await local.sign(rawTransaction, alice);
    await tracker.run();
    expect(await stepOf(id)).toMatchObject({ txHash: signature });
  });

  it('lets a transaction execute one action only', async () => {
    const recipient = Keypair.generate().publicKey.toBase58();
    const [first, second] = [await order({ recipient }), await order({ recipient })];
    await local.send([...first.instructions.map(toWeb3Instruction), toWeb3Instruction(second.instructions.at(-1)!)]);
    await local.advance(FINAL);
    await tracker.run();
    await tracker.run();
    expect(await statusOf(first.id)).toEqual(['SUCCESS', null]);
    expect(await statusOf(second.id)).toEqual(['INITIAL', 'WAITING_ORIGIN']);
  });

  it('fails an action whose transaction failed for good, and says why', async () => {
    const poor = Keypair.generate();
    await local.send([pay(alice, poor.publicKey, SOL)]);
    const { id, rawTransaction } = await order({
      symbol: 'SOL',
      amount: BigInt(SOL) / 2n,
      sender: poor.publicKey.toBase58(),
    });
    await local.send([pay(poor, bob.publicKey, SOL / 2 + 1_000_000)], { signers: [poor] });
    await local.sign(rawTransaction, poor, { skipPreflight: true });
    await tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await local.advance(FINAL);
    await tracker.run();
    expect(await actionOf(id)).toMatchObject({
      status: 'FAILED',
      failureReason: 'The transaction failed: the SOL balance is not sufficient',
    });
    expect(await stepOf(id)).toMatchObject({ status: 'FAILED' });
  });

  it('accepts the second attempt of a wallet when the first one failed', async () => {
    const poor = Keypair.generate();
    await local.send([pay(alice, poor.publicKey, SOL)]);
    const { id, rawTransaction, instructions } = await order({
      symbol: 'SOL',
      amount: BigInt(SOL) / 2n,
      sender: poor.publicKey.toBase58(),
    });
    await local.send([pay(poor, bob.publicKey, SOL / 2 + 1_000_000)], { signers: [poor] });
    await local.sign(rawTransaction, poor, { skipPreflight: true });
    await tracker.run();
    await local.send([pay(alice, poor.publicKey, SOL)]);
    const signature = await local.send(instructions.map(toWeb3Instruction), { signers: [poor] });
    await local.advance(FINAL);
    await tracker.run();
    await tracker.run();
    expect(await statusOf(id)).toEqual(['SUCCESS', null]);
    expect(await stepOf(id)).toMatchObject({ txHash: signature });
  });

  it('waits for the origin again when a fork drops the transaction, and finds the next one', async () => {
    const { id, rawTransaction, instructions } = await order();
    await local.sign(rawTransaction, alice);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await local.control('validator_dropTransactions', 1);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await local.advance(250);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_ORIGIN']);
    expect(await stepOf(id)).toMatchObject({ status: 'PENDING', txHash: null });
    await local.send(instructions.map(toWeb3Instruction));
    await local.advance(FINAL);
    await tracker.run();
    expect(await historyOf(test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>PENDING WAITING_ORIGIN',
      'PENDING>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
  });

  it('ends the first step of a transfer to another chain when the sold tokens have left', async () => {
    const { chainId } = local.chain();
    const plan = {
      chainIdOut: 8453,
      receiverAddress: '0x00000000000000000000000000000000000A11cE',
      type: 'CROSSCHAIN_SWAP' as const,
      steps: [
        { kind: 'BRIDGE' as const, operator: 'USER' as const, protocol: 'bridge', chainId },
        { kind: 'BRIDGE' as const, operator: 'PROVIDER' as const, protocol: 'bridge', chainId: 8453 },
      ],
    };
    const { id, rawTransaction } = await order({ plan });
    await local.sign(rawTransaction, alice);
    await local.advance(FINAL);
    await tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_DESTINATION']);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('lets an action without a transaction expire, but only after a later search of the chain', async () => {
    const late = { expiresAt: new Date(Date.now() - 1000) };
    await test.database.$executeRaw`
      INSERT INTO "ChainTracker" ("chainId", "leaseOwner", "leaseUntil")
      VALUES (${local.chain().chainId}, ${tracker.deps.replicaId}::uuid, now())`;
    const [seen, unseen] = [await order({ plan: late }), await order({ plan: late })];
    await local.sign(seen.rawTransaction, alice);
    expect(await expireActions({ database: test.database })).toBe(0);
    await tracker.run();
    expect(await expireActions({ database: test.database })).toBe(1);
    expect(await statusOf(seen.id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    expect(await statusOf(unseen.id)).toEqual(['FAILED', 'EXPIRED']);
    await local.advance(200);
    await expect(local.sign(unseen.rawTransaction, alice)).rejects.toThrow('Blockhash not found');
  });

  it('runs once per chain, and another replica continues where it stopped', async () => {
    const { id, rawTransaction } = await order();
    await local.sign(rawTransaction, alice);
    await tracker.run();
    const successor = solanaTracker(world());
    expect(await successor.run()).toBe('elsewhere');
    await test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });
    await local.advance(FINAL);
    await successor.run();
    expect(await statusOf(id)).toEqual(['SUCCESS', null]);
    expect(await tracker.run()).toBe('elsewhere');
  });

  it('runs by itself until it is stopped', async () => {
    const { id, rawTransaction } = await order({ symbol: 'BRS' });
    const { table: chains } = local.chains();
    const log = { info: () => undefined, warn: () => undefined };
    const running = startSolanaTracker({
      database: test.database,
      solana,
      chains,
      log,
      pollMs: 20,
      replicaId: randomUUID(),
    });
    await local.sign(rawTransaction, alice);
    await local.advance(FINAL);
    const deadline = Date.now() + 15_000;
    while ((await actionOf(id)).status !== 'SUCCESS' && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await running.stop();
    expect(await statusOf(id)).toEqual(['SUCCESS', null]);
    expect(localSolanaToken(local, 'BRS').decimals).toBe(6);
  });
});
