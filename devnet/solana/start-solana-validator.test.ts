import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createAssociatedTokenAccountInstruction,
  createTransferCheckedInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
  getMint,
  TOKEN_2022_PROGRAM_ID,
} from '@solana/spl-token';
import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  Connection,
  Keypair,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { fromBase58 } from './base58';
import { type SolanaValidator, startSolanaValidator } from './start-solana-validator';

const SOL = 1_000_000_000;
let directory: string;
let validator: SolanaValidator;
let connection: Connection;
let alice: Keypair;
let bob: Keypair;

const start = async (): Promise<void> => {
  // The chain moves when a test says so, however slow the machine is.
  const slotMs = 3_600_000;
  validator = await startSolanaValidator({ dataDirectory: directory, accounts: 3, slotMs, log: () => undefined });
  connection = new Connection(validator.rpcUrl, 'confirmed');
  [alice, bob] = validator.accounts.map(({ secretKey }) => Keypair.fromSecretKey(fromBase58(secretKey))) as [
    Keypair,
    Keypair,
  ];
};

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'afluente-solana-'));
  await start();
});
afterAll(async () => {
  await validator.stop();
  rmSync(directory, { recursive: true, force: true });
});

const control = async (method: string, params: readonly unknown[]): Promise<unknown> => {
  const response = await fetch(validator.rpcUrl, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: unknown }).result;
};
const skip = (slots: number) => control('validator_skipSlots', [slots]);

interface Plan {
  readonly signers?: readonly Keypair[];
  readonly blockhash?: string;
  readonly tables?: readonly AddressLookupTableAccount[];
}

async function built(instructions: readonly TransactionInstruction[], plan: Plan = {}): Promise<VersionedTransaction> {
  const signers = plan.signers ?? [alice];
  const message = new TransactionMessage({
    payerKey: signers[0]!.publicKey,
    recentBlockhash: plan.blockhash ?? (await connection.getLatestBlockhash()).blockhash,
    instructions: [...instructions],
  }).compileToV0Message([...(plan.tables ?? [])]);
  const transaction = new VersionedTransaction(message);
  transaction.sign([...signers]);
  return transaction;
}

const pay = (to: PublicKey, lamports: number | bigint) =>
  SystemProgram.transfer({ fromPubkey: alice.publicKey, toPubkey: to, lamports });
const memo = (text: string) =>
  new TransactionInstruction({
    programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    keys: [],
    data: Buffer.from(text),
  });
const send = async (instructions: readonly TransactionInstruction[], plan?: Plan): Promise<string> => {
  const signature = await connection.sendTransaction(await built(instructions, plan));
  await skip(1);
  return signature;
};
const mintOf = (symbol: string) =>
  new PublicKey([...validator.tokens, ...validator.unlistedTokens].find((token) => token.symbol === symbol)!.address);

describe('the embedded Solana chain, seen by the library that everybody uses', () => {
  it('carries transactions out, charges what a cluster charges, and tells of them by commitment', async () => {
    const to = Keypair.generate().publicKey;
    const before = await connection.getBalance(alice.publicKey);
    const budget = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 10_001 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 3000 }),
    ];
    const transaction = await built([...budget, pay(to, SOL), memo('olá')]);
    const fee = (await connection.getFeeForMessage(transaction.message)).value!;
    expect(fee).toBe(5000 + 31);
    const signature = await connection.sendTransaction(transaction);
    const statusOf = async () => (await connection.getSignatureStatus(signature)).value;
    expect(await statusOf()).toMatchObject({ confirmationStatus: 'processed', err: null });
    expect(await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })).toBeNull();
    await skip(1);
    expect(await statusOf()).toMatchObject({ confirmationStatus: 'confirmed' });
    expect(await connection.getSignaturesForAddress(to, {}, 'finalized')).toEqual([]);
    await skip(5);
    expect(await statusOf()).toMatchObject({ confirmationStatus: 'finalized', confirmations: null });
    const [seen] = await connection.getSignaturesForAddress(to, {}, 'finalized');
    expect(seen).toMatchObject({ signature, err: null, memo: '[4] olá', confirmationStatus: 'finalized' });
    expect(Math.abs(seen!.blockTime! - Date.now() / 1000)).toBeLessThan(60);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found!.meta).toMatchObject({ err: null, fee, computeUnitsConsumed: expect.any(Number) });
    const index = found!.transaction.message.getAccountKeys().staticAccountKeys.findIndex((key) => key.equals(to));
    expect(found!.meta!.postBalances[index]).toBe(SOL);
    expect(await connection.getBalance(alice.publicKey)).toBe(before - SOL - fee);
    expect(await connection.getBalance(to)).toBe(SOL);
  });

  it('answers a transaction that would fail with what the program said, and charges nothing', async () => {
    const before = await connection.getBalance(alice.publicKey);
    const poor = await built([pay(bob.publicKey, 1_000_000n * BigInt(SOL))]);
    const refused = await connection.sendTransaction(poor).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SendTransactionError);
    expect((refused as SendTransactionError).transactionError.message).toContain('custom program error: 0x1');
    expect((refused as SendTransactionError).logs!.join()).toContain('insufficient lamports');
    const nobody = Keypair.generate();
    const penniless = await built([memo('x')], { signers: [nobody] });
    await expect(connection.sendTransaction(penniless)).rejects.toThrow('no record of a prior credit');
    const dust = await built([pay(Keypair.generate().publicKey, 1)]);
    await expect(connection.sendTransaction(dust)).rejects.toThrow('insufficient funds for rent');
    expect(await connection.getBalance(alice.publicKey)).toBe(before);
  });

  it('runs, records and charges a failing transaction that is sent without preflight', async () => {
    const before = await connection.getBalance(alice.publicKey);
    const poor = await built([pay(bob.publicKey, 1_000_000n * BigInt(SOL))]);
    const signature = await connection.sendTransaction(poor, { skipPreflight: true });
    await skip(1);
    const err = { InstructionError: [0, { Custom: 1 }] };
    expect((await connection.getSignatureStatus(signature)).value).toMatchObject({ err });
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found!.meta).toMatchObject({ err, fee: 5000 });
    expect(await connection.getBalance(alice.publicKey)).toBe(before - 5000);
  });

  it('takes a blockhash for 150 slots, a transaction once, and only with its signatures', async () => {
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('processed');
    const transaction = await built([memo('once')], { blockhash });
    await connection.sendTransaction(transaction);
    await expect(connection.sendTransaction(transaction)).rejects.toThrow('already been processed');
    const late = await built([memo('late')], { blockhash });
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(true);
    await skip(lastValidBlockHeight - (await connection.getBlockHeight('processed')) + 1);
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(false);
    await expect(connection.sendTransaction(late)).rejects.toThrow('Blockhash not found');
    const dropped = await connection.sendTransaction(late, { skipPreflight: true });
    expect((await connection.getSignatureStatus(dropped)).value).toBeNull();
    const unsigned = new VersionedTransaction((await built([memo('unsigned')])).message);
    await expect(connection.sendTransaction(unsigned)).rejects.toThrow('signature verification failure');
  });

  it('simulates without signatures and without a trace', async () => {
    const transaction = new VersionedTransaction(
      (await built([pay(bob.publicKey, SOL)], { blockhash: bobs() })).message,
    );
    const before = await connection.getBalance(bob.publicKey);
    const plain = await connection.simulateTransaction(transaction);
    expect(plain.value.err).toBe('BlockhashNotFound');
    const { value } = await connection.simulateTransaction(transaction, {
      replaceRecentBlockhash: true,
      accounts: { encoding: 'base64', addresses: [bob.publicKey.toBase58()] },
    });
    expect(value).toMatchObject({
      err: null,
      unitsConsumed: 150,
      replacementBlockhash: { blockhash: expect.any(String) },
    });
    expect(value.accounts![0]!.lamports).toBe(before + SOL);
    expect(await connection.getBalance(bob.publicKey)).toBe(before);
    const verified = await connection.simulateTransaction(
      new VersionedTransaction((await built([memo('x')])).message),
      { sigVerify: true },
    );
    expect(verified.value.err).toBe('SignatureFailure');
  });
  const bobs = () => bob.publicKey.toBase58(); // any 32 bytes that are no recent blockhash

  it('moves tokens of both programs between associated accounts and tells the balances', async () => {
    for (const [symbol, program] of [
      ['USDC', undefined],
      ['PITU', TOKEN_2022_PROGRAM_ID],
    ] as const) {
      const mint = mintOf(symbol);
      const owner = Keypair.generate().publicKey;
      const [from, to] = [alice.publicKey, owner].map((key) =>
        getAssociatedTokenAddressSync(mint, key, false, program),
      );
      const { decimals, supply } = await getMint(connection, mint, 'confirmed', program);
      expect(supply).toBeGreaterThan(0n);
      const signature = await send([
        createAssociatedTokenAccountInstruction(alice.publicKey, to!, owner, mint, program),
        createTransferCheckedInstruction(from!, mint, to!, alice.publicKey, 150n, decimals, [], program),
      ]);
      expect((await getAccount(connection, to!, 'confirmed', program)).amount).toBe(150n);
      const { value } = await connection.getTokenAccountBalance(to!);
      expect(value.amount).toBe('150');
      expect(value.uiAmountString).toBe(symbol === 'USDC' ? '0.00015' : '1.5');
      const parsed = await connection.getParsedTokenAccountsByOwner(owner, { mint });
      expect(parsed.value[0]!.account.data.parsed.info).toMatchObject({ mint: mint.toBase58(), tokenAmount: value });
      expect((await connection.getTokenAccountsByOwner(owner, { mint })).value[0]!.pubkey.equals(to!)).toBe(true);
      const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
      expect(found!.meta!.postTokenBalances).toContainEqual(
        expect.objectContaining({ owner: owner.toBase58(), mint: mint.toBase58(), uiTokenAmount: value }),
      );
      expect(found!.meta!.preTokenBalances!.some((balance) => balance.owner === owner.toBase58())).toBe(false);
      expect(found!.meta!.innerInstructions!.length).toBeGreaterThan(0);
    }
  });

  it('creates look-up tables, and loads the accounts of transactions from them', async () => {
    const parties = { authority: alice.publicKey, payer: alice.publicKey };
    const [create, address] = AddressLookupTableProgram.createLookupTable({
      ...parties,
      recentSlot: (await connection.getSlot('processed')) - 1,
    });
    const strangers = Array.from({ length: 5 }, () => Keypair.generate().publicKey);
    await send([create]);
    await send([
      AddressLookupTableProgram.extendLookupTable({ ...parties, lookupTable: address, addresses: strangers }),
    ]);
    const own = (await connection.getAddressLookupTable(address)).value!;
    const given = (await connection.getAddressLookupTable(new PublicKey(validator.lookupTables[1]!.address))).value!;
    expect(given.state.addresses.map(String)).toEqual(validator.lookupTables[1]!.addresses);
    const paid = [strangers[3]!, given.state.addresses[7]!];
    const signature = await send(
      paid.map((to) => pay(to, SOL)),
      { tables: [own, given] },
    );
    expect(await connection.getBalance(paid[0]!)).toBe(SOL);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found!.meta!.loadedAddresses!.writable.map(String).sort()).toEqual(paid.map(String).sort());
    expect((await connection.getSignaturesForAddress(paid[1]!))[0]).toMatchObject({ signature });
    const untold = await connection.getTransaction(signature).catch((error: unknown) => error);
    expect(String(untold)).toContain('maxSupportedTransactionVersion');
  });

  it('indexes the signatures of an account, the newest first, in pages', async () => {
    const account = Keypair.generate().publicKey;
    const signatures: string[] = [];
    for (const lamports of [SOL, SOL + 1, SOL + 2, SOL + 3]) signatures.unshift(await send([pay(account, lamports)]));
    const page = async (options: { limit?: number; before?: string; until?: string }) =>
      (await connection.getSignaturesForAddress(account, options)).map(({ signature }) => signature);
    expect(await page({})).toEqual(signatures);
    expect(await page({ limit: 2 })).toEqual(signatures.slice(0, 2));
    expect(await page({ before: signatures[1]! })).toEqual(signatures.slice(2));
    expect(await page({ until: signatures[2]! })).toEqual(signatures.slice(0, 2));
  });

  it('tells what was paid for priority of late', async () => {
    const account = Keypair.generate().publicKey;
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 4321 });
    const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1000 });
    await send([price, limit, pay(account, SOL)]);
    const fees = await connection.getRecentPrioritizationFees({ lockedWritableAccounts: [account] });
    expect(fees).toHaveLength(150);
    expect(fees.filter(({ prioritizationFee }) => prioritizationFee > 0).map((fee) => fee.prioritizationFee)).toEqual([
      4321,
    ]);
  });

  it('gives airdrops, tells what time it is, and answers what it does not know as a node does', async () => {
    const poor = Keypair.generate().publicKey;
    await connection.requestAirdrop(poor, SOL);
    await connection.requestAirdrop(poor, SOL);
    expect(await connection.getBalance(poor)).toBe(2 * SOL);
    const genesis = await connection.getGenesisHash();
    const { absoluteSlot, blockHeight } = await connection.getEpochInfo('processed');
    expect(absoluteSlot).toBeGreaterThan(blockHeight!);
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
    expect(() => new PublicKey(genesis)).not.toThrow();
    expect((await connection.getVersion())['solana-core']).toMatch(/^\d/);
    const response = await fetch(validator.rpcUrl, {
      method: 'POST',
      body: JSON.stringify([
        { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
        { jsonrpc: '2.0', id: 'b', method: 'getStakeMinimumDelegation' },
        { jsonrpc: '2.0', id: 'c', method: 'getAccountInfo', params: ['1'.repeat(60)] },
        { jsonrpc: '2.0', id: 'd', method: 'constructor' },
      ]),
    });
    expect(await response.json()).toEqual([
      { jsonrpc: '2.0', id: 'a', result: 'ok' },
      { jsonrpc: '2.0', id: 'b', error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: 'c', error: { code: -32602, message: 'Invalid param: WrongSize' } },
      { jsonrpc: '2.0', id: 'd', error: { code: -32601, message: 'Method not found' } },
    ]);
  });

  it('goes on as a fork that lost the newest transactions', async () => {
    const account = Keypair.generate().publicKey;
    const kept = await send([pay(account, SOL)]);
    const lost = await send([pay(account, SOL)]);
    await control('validator_dropTransactions', [1]);
    expect(await connection.getBalance(account)).toBe(SOL);
    expect((await connection.getSignatureStatuses([kept, lost])).value.map((status) => status?.err)).toEqual([
      null,
      undefined,
    ]);
  });

  it('keeps accounts and history over a restart, and does not run a transaction again', async () => {
    const account = Keypair.generate().publicKey;
    const transaction = await built([pay(account, SOL)]);
    const signature = await connection.sendTransaction(transaction);
    const [usdc, table] = [mintOf('USDC'), new PublicKey(validator.lookupTables[0]!.address)];
    const before = await connection.getTokenAccountsByOwner(alice.publicKey, { mint: usdc });
    const slot = await connection.getSlot('processed');
    await validator.stop(); // without a word: as a kill leaves it
    await start();
    expect(await connection.getBalance(account)).toBe(SOL);
    expect(await connection.getSlot('processed')).toBe(slot);
    expect(await connection.getTokenAccountsByOwner(alice.publicKey, { mint: usdc })).toMatchObject({
      value: before.value,
    });
    expect((await connection.getAddressLookupTable(table)).value).not.toBeNull();
    await expect(connection.sendTransaction(transaction)).rejects.toThrow('already been processed');
    await skip(1);
    expect((await connection.getSignaturesForAddress(account))[0]).toMatchObject({ signature });
  });
});
