import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { type LocalSolana, pay, SOL, startLocalSolana } from '../../../../test/solana/local-solana';
import { serviceError } from '../../../errors/service-error';
import { uuidV7 } from '../../../persistence/uuid-v7';
import type { SolanaProgramCall } from '../../../venues/quote-provider';
import { createSolanaRpc, type SolanaRpc } from '../../../rpc/solana/solana-rpc';
import { buildSolanaTransaction, type SolanaTransactionDeps } from './build-transaction';
import { fromWeb3Instruction, memoInstruction, toWeb3Instruction } from './instructions';
import { actionReference } from './reference';

const { signal } = new AbortController();
let local: LocalSolana;
let solana: SolanaRpc;

beforeAll(async () => {
  local = await startLocalSolana();
  solana = createSolanaRpc({ chains: local.chains(), log: { warn: () => undefined } });
});
afterAll(async () => {
  await solana.close();
  await local.stop();
});

const programOf = (
  instructions: SolanaProgramCall['instructions'],
  lookupTables: SolanaProgramCall['lookupTables'] = {},
): SolanaProgramCall => ({
  kind: 'instructions',
  chainId: local.chain().chainId,
  from: local.alice.publicKey.toBase58(),
  instructions,
  lookupTables,
});
const payment = (to: PublicKey, lamports: number | bigint = SOL) => fromWeb3Instruction(pay(local.alice, to, lamports));
const build = (program: SolanaProgramCall, memo?: string, deps: SolanaTransactionDeps = { solana }) => {
  const actionId = uuidV7();
  return buildSolanaTransaction(deps, { program, actionId, memo, signal }).then((built) => ({ ...built, actionId }));
};

/** A message lists each account once, with its signer and writable flags. */
const withoutFlags = ({ programId, keys, data }: TransactionInstruction) => ({
  programId: programId.toBase58(),
  data: data.toString('hex'),
  accounts: keys.map(({ pubkey }) => pubkey.toBase58()),
});

describe('a transaction made of instructions', () => {
  it('is unsigned, of version 0, has limit, price, memo and reference, and is found by its reference', async () => {
    const to = Keypair.generate().publicKey;
    const built = await build(programOf([payment(to)]), 'pagamento nº 7');
    expect(built.simulation).toEqual({ status: 'SUCCESS', reason: undefined });
    const transaction = VersionedTransaction.deserialize(Buffer.from(built.rawTransaction, 'base64'));
    expect(transaction.version).toBe(0);
    expect(transaction.signatures).toEqual([new Uint8Array(64)]);
    const { instructions } = TransactionMessage.decompile(transaction.message);
    expect(instructions.map(withoutFlags)).toEqual(built.instructions.map(toWeb3Instruction).map(withoutFlags));
    const [limit, price] = instructions;
    expect([limit, price].every((each) => each!.programId.equals(ComputeBudgetProgram.programId))).toBe(true);
    expect(BigInt(limit!.data.readUInt32LE(1))).toBe(built.computeUnits);
    expect(price!.data.readBigUInt64LE(1)).toBe(10_000n);
    expect(built.reference).toBe(actionReference(built.actionId));
    const before = await local.connection.getBalance(local.alice.publicKey);
    const signature = await local.sign(built.rawTransaction, local.alice);
    const [found] = await local.connection.getSignaturesForAddress(new PublicKey(built.reference));
    expect(found).toMatchObject({ signature, err: null, memo: '[15] pagamento nº 7' });
    const landed = await local.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(BigInt(landed!.meta!.computeUnitsConsumed!)).toBeLessThan(built.computeUnits!);
    expect(await local.connection.getBalance(to)).toBe(SOL);
    const priority = Math.ceil((Number(built.computeUnits) * 10_000) / 1_000_000);
    expect(await local.connection.getBalance(local.alice.publicKey)).toBe(before - SOL - 5000 - priority);
  });

  it('can be recomposed by its caller, and is still found by its reference', async () => {
    const to = Keypair.generate().publicKey;
    const built = await build(programOf([payment(to)]));
    const own = pay(local.alice, local.bob.publicKey, 1);
    const signature = await local.send([own, ...built.instructions.map(toWeb3Instruction)]);
    expect((await local.connection.getSignaturesForAddress(new PublicKey(built.reference)))[0]).toMatchObject({
      signature,
      err: null,
    });
  });

  it('loads accounts from the lookup tables of the instructions', async () => {
    const table = local.validator.lookupTables[1]!;
    const many = table.addresses.slice(0, 28).map((address) => payment(new PublicKey(address), SOL));
    await expect(build(programOf(many))).rejects.toMatchObject({
      code: 'BYTECODE_GENERATION_FAILED',
      message: expect.stringContaining('1232 bytes'),
    });
    const built = await build(programOf(many, { [table.address]: table.addresses }));
    expect(built).toMatchObject({
      simulation: { status: 'SUCCESS' },
      lookupTables: { [table.address]: table.addresses },
    });
    await local.sign(built.rawTransaction, local.alice);
    expect(await local.connection.getBalance(new PublicKey(table.addresses[27]!))).toBe(SOL);
  });

  it('replaces limits and prices of a provider, and keeps an existing memo', async () => {
    const greedy = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1_400_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10 ** 12 }),
    ].map(fromWeb3Instruction);
    const to = Keypair.generate().publicKey;
    const { instructions } = await build(programOf([...greedy, memoInstruction('once'), payment(to)]), 'once');
    const ofBudget = instructions.filter(({ programId }) => programId === ComputeBudgetProgram.programId.toBase58());
    expect(ofBudget).toHaveLength(2);
    expect(ofBudget.map(({ data }) => data)).not.toContain(greedy[1]!.data);
    expect(instructions.filter(({ data }) => data === memoInstruction('once').data)).toHaveLength(1);
  });

  it('pays the recent price of the same accounts', async () => {
    const crowded = Keypair.generate().publicKey;
    await local.advance(150);
    for (let slot = 0; slot < 50; slot++) {
      const bid = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 44_444 });
      await local.send([bid, pay(local.alice, crowded, SOL + slot)]);
    }
    const { instructions } = await build(programOf([payment(crowded)]));
    expect(toWeb3Instruction(instructions[1]!).data.readBigUInt64LE(1)).toBe(44_444n);
  });

  it('reports the reason of a failure', async () => {
    const tooMuch = await build(programOf([payment(local.bob.publicKey, 10n ** 17n)]));
    expect(tooMuch).toMatchObject({
      computeUnits: undefined,
      simulation: { status: 'INSUFFICIENT_BALANCE', reason: 'the SOL balance is not sufficient' },
    });
    const usdc = local.mint('USDC');
    const [mine, his] = [local.alice, local.bob].map(({ publicKey }) => getAssociatedTokenAddressSync(usdc, publicKey));
    const moving = (from: PublicKey, to: PublicKey, amount: bigint) =>
      programOf([
        fromWeb3Instruction(createTransferCheckedInstruction(from, usdc, to, local.alice.publicKey, amount, 6)),
      ]);
    expect((await build(moving(mine!, his!, 10n ** 18n))).simulation).toEqual({
      status: 'INSUFFICIENT_BALANCE',
      reason: 'the tokens are not sufficient',
    });
    expect((await build(moving(his!, mine!, 1n))).simulation).toEqual({
      status: 'REVERTED',
      reason: 'the token account has another owner',
    });
    const penniless = Keypair.generate();
    const poor = {
      ...programOf([fromWeb3Instruction(pay(penniless, local.bob.publicKey, 1))]),
      from: penniless.publicKey.toBase58(),
    };
    expect((await build(poor)).simulation).toEqual({
      status: 'INSUFFICIENT_BALANCE',
      reason: 'the sender has no SOL to pay the fee',
    });
  });

  it('is refused when another account has to sign, or an address is invalid', async () => {
    const foreign = fromWeb3Instruction(pay(local.bob, local.alice.publicKey, 1));
    await expect(build(programOf([foreign]))).rejects.toMatchObject({
      code: 'BYTECODE_GENERATION_FAILED',
      message: expect.stringContaining('signature of an account other than the sender'),
    });
    const nonsense = { ...foreign, programId: 'x'.repeat(50_000) };
    await expect(build(programOf([nonsense]))).rejects.toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
    expect(SystemProgram.programId.toBase58()).toBe(foreign.programId);
  });

  it('is built without simulation and recent fees when the node lacks them, but not without a blockhash', async () => {
    const down = serviceError('PROVIDER_UNAVAILABLE', { provider: 'solana RPC', reason: 'it rejected the call' });
    const refuse = () => Promise.reject(down);
    const partly = { ...solana, simulate: refuse, recentPriorityFee: refuse };
    const to = Keypair.generate().publicKey;
    const built = await build(programOf([payment(to)]), undefined, { solana: partly });
    expect(built.simulation).toEqual({ status: 'UNAVAILABLE', reason: expect.stringContaining('rejected the call') });
    await local.sign(built.rawTransaction, local.alice);
    expect(await local.connection.getBalance(to)).toBe(SOL);
    const dead = { ...solana, latestBlockhash: refuse };
    await expect(build(programOf([payment(to)]), undefined, { solana: dead })).rejects.toBe(down);
  });

  it('lives for 150 blocks', async () => {
    const built = await build(programOf([payment(local.bob.publicKey)]));
    const height = await local.connection.getBlockHeight('confirmed');
    expect(built.lastValidBlockHeight).toBe(height + 150);
    await local.advance(152);
    await expect(local.sign(built.rawTransaction, local.alice)).rejects.toThrow('Blockhash not found');
  });
});

describe('the reference of an action', () => {
  it('is deterministic, and different for every action', () => {
    const [one, other] = [uuidV7(), uuidV7()];
    expect(actionReference(one)).toBe(actionReference(one));
    expect(actionReference(one)).not.toBe(actionReference(other));
    expect(new PublicKey(actionReference(one)).toBytes()).toHaveLength(32);
  });
});
