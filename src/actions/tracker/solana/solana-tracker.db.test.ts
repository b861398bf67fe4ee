import { randomUUID } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { historyOf } from '../../../../test/actions/sample-action';
import { memo, pay, SOL } from '../../../../test/solana/local-solana';
import { localSolanaToken, solanaTracker } from '../../../../test/solana/solana-actions';
import { FINAL, trackedLocalSolana } from '../../../../test/solana/tracked-local-solana';
import { toWeb3Instruction } from '../../../transactions/execution/solana/instructions';
import { expireActions } from '../../state/expire-actions';
import { startSolanaTracker } from './start-solana-tracker';
import { until } from '../../../../test/resilience/until';

const chain = trackedLocalSolana();
const { world, order, actionOf, stepOf, statusOf } = chain;

describe('the tracker of a Solana chain', () => {
  it('follows a token transfer from its confirmation to its finality', async () => {
    expect(await chain.tracker.run()).toBe('idle');
    const { id, rawTransaction } = await order();
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['INITIAL', 'WAITING_ORIGIN']);
    const signature = await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    expect(await stepOf(id)).toMatchObject({ status: 'SUBMITTED', txHash: signature, minedAt: expect.any(Date) });
    await chain.local.advance(FINAL - 2);
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await chain.local.advance(1);
    await chain.tracker.run();
    expect(await historyOf(chain.test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
    const action = await actionOf(id);
    expect([action.amountIn, action.amountOut].map(String)).toEqual(['2500000', '2500000']);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED', txHash: signature });
    expect(await chain.tracker.run()).toBe('idle');
  });

  it('reports the sent and received amounts of SOL without the fee', async () => {
    const { id, rawTransaction } = await order({ symbol: 'SOL', amount: 1_234_567_890n });
    await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    const action = await actionOf(id);
    expect(action.status).toBe('SUCCESS');
    expect([action.amountIn, action.amountOut].map(String)).toEqual(['1234567890', '1234567890']);
  });

  it('finds the transaction that a caller composed of the instructions and others', async () => {
    const { id, instructions } = await order();
    const own = [
      ...instructions.map(toWeb3Instruction),
      memo('mine'),
      pay(chain.local.alice, chain.local.bob.publicKey, 1),
    ];
    const signature = await chain.local.send(own);
    await chain.local.advance(FINAL);
    await chain.tracker.run();
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
      account.isSigner || account.isWritable ? { ...account, pubkey: chain.local.bob.publicKey.toBase58() } : account,
    );
    await chain.local.send([toWeb3Instruction({ ...carrier, accounts: foreign })], { signers: [chain.local.bob] });
    // …the wallet names it and sends less, another token, to another recipient, or nothing.
    for (const different of [{ recipient, amount: 2_499_999n }, { recipient, symbol: 'BRZ' }, {}]) {
      const another = await order(different);
      await chain.local.send([...another.instructions.slice(2, -1).map(toWeb3Instruction), named]);
    }
    await chain.local.send([named]);
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['INITIAL', 'WAITING_ORIGIN']);
    const signature = await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.tracker.run();
    expect(await stepOf(id)).toMatchObject({ txHash: signature });
  });

  it('lets a transaction execute one action only', async () => {
    const recipient = Keypair.generate().publicKey.toBase58();
    const [first, second] = [await order({ recipient }), await order({ recipient })];
    await chain.local.send([
      ...first.instructions.map(toWeb3Instruction),
      toWeb3Instruction(second.instructions.at(-1)!),
    ]);
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    await chain.tracker.run();
    expect(await statusOf(first.id)).toEqual(['SUCCESS', null]);
    expect(await statusOf(second.id)).toEqual(['INITIAL', 'WAITING_ORIGIN']);
  });

  it('fails an action whose transaction failed for good, and says why', async () => {
    const poor = Keypair.generate();
    await chain.local.send([pay(chain.local.alice, poor.publicKey, SOL)]);
    const { id, rawTransaction } = await order({
      symbol: 'SOL',
      amount: BigInt(SOL) / 2n,
      sender: poor.publicKey.toBase58(),
    });
    await chain.local.send([pay(poor, chain.local.bob.publicKey, SOL / 2 + 1_000_000)], { signers: [poor] });
    await chain.local.sign(rawTransaction, poor, { skipPreflight: true });
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    expect(await actionOf(id)).toMatchObject({
      status: 'FAILED',
      failureReason: 'The transaction failed: the SOL balance is not sufficient',
    });
    expect(await stepOf(id)).toMatchObject({ status: 'FAILED' });
  });

  it('accepts the second attempt of a wallet when the first one failed', async () => {
    const poor = Keypair.generate();
    await chain.local.send([pay(chain.local.alice, poor.publicKey, SOL)]);
    const { id, rawTransaction, instructions } = await order({
      symbol: 'SOL',
      amount: BigInt(SOL) / 2n,
      sender: poor.publicKey.toBase58(),
    });
    await chain.local.send([pay(poor, chain.local.bob.publicKey, SOL / 2 + 1_000_000)], { signers: [poor] });
    await chain.local.sign(rawTransaction, poor, { skipPreflight: true });
    await chain.tracker.run();
    await chain.local.send([pay(chain.local.alice, poor.publicKey, SOL)]);
    const signature = await chain.local.send(instructions.map(toWeb3Instruction), { signers: [poor] });
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['SUCCESS', null]);
    expect(await stepOf(id)).toMatchObject({ txHash: signature });
  });

  it('waits for the origin again when a fork drops the transaction, and finds the next one', async () => {
    const { id, rawTransaction, instructions } = await order();
    await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await chain.local.control('validator_dropTransactions', 1);
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    await chain.local.advance(250);
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_ORIGIN']);
    expect(await stepOf(id)).toMatchObject({ status: 'PENDING', txHash: null });
    await chain.local.send(instructions.map(toWeb3Instruction));
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    expect(await historyOf(chain.test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>PENDING WAITING_ORIGIN',
      'PENDING>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
  });

  it('ends the first step of a transfer to another chain when the sold tokens have left', async () => {
    const { chainId } = chain.local.chain();
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
    await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.local.advance(FINAL);
    await chain.tracker.run();
    expect(await statusOf(id)).toEqual(['PENDING', 'WAITING_DESTINATION']);
    expect(await stepOf(id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('lets an action without a transaction expire, but only after a later search of the chain', async () => {
    const late = { expiresAt: new Date(Date.now() - 1000) };
    await chain.test.database.$executeRaw`
      INSERT INTO "ChainTracker" ("chainId", "leaseOwner", "leaseUntil")
      VALUES (${chain.local.chain().chainId}, ${chain.tracker.deps.replicaId}::uuid, now())`;
    const [seen, unseen] = [await order({ plan: late }), await order({ plan: late })];
    await chain.local.sign(seen.rawTransaction, chain.local.alice);
    expect(await expireActions({ database: chain.test.database })).toBe(0);
    await chain.tracker.run();
    expect(await expireActions({ database: chain.test.database })).toBe(1);
    expect(await statusOf(seen.id)).toEqual(['PENDING', 'WAITING_CONFIRMATIONS']);
    expect(await statusOf(unseen.id)).toEqual(['FAILED', 'EXPIRED']);
    await chain.local.advance(200);
    await expect(chain.local.sign(unseen.rawTransaction, chain.local.alice)).rejects.toThrow('Blockhash not found');
  });

  it('runs once per chain, and another replica continues where it stopped', async () => {
    const { id, rawTransaction } = await order();
    await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.tracker.run();
    const successor = solanaTracker(world());
    expect(await successor.run()).toBe('elsewhere');
    await chain.test.database.chainTracker.updateMany({ data: { leaseUntil: new Date(0) } });
    await chain.local.advance(FINAL);
    await successor.run();
    expect(await statusOf(id)).toEqual(['SUCCESS', null]);
    expect(await chain.tracker.run()).toBe('elsewhere');
  });

  it('runs by itself until it is stopped', async () => {
    const { id, rawTransaction } = await order({ symbol: 'BRS' });
    const { table: chains } = chain.local.chains();
    const log = { info: () => undefined, warn: () => undefined };
    const running = startSolanaTracker({
      database: chain.test.database,
      solana: chain.solana,
      chains,
      log,
      pollMs: 20,
      replicaId: randomUUID(),
    });
    await chain.local.sign(rawTransaction, chain.local.alice);
    await chain.local.advance(FINAL);
    await until('the action has succeeded', async () => (await actionOf(id)).status === 'SUCCESS');
    await running.stop();
    expect(await statusOf(id)).toEqual(['SUCCESS', null]);
    expect(localSolanaToken(chain.local, 'BRS').decimals).toBe(6);
  });
});
