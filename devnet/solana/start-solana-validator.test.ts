import { appendFileSync, readdirSync } from 'node:fs';
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
  AddressLookupTableProgram,
  ComputeBudgetProgram,
  type Connection,
  Keypair,
  PublicKey,
  SendTransactionError,
  VersionedTransaction,
} from '@solana/web3.js';
import { type LocalSolana, memo, pay, SOL, startLocalSolana } from '../../test/solana/local-solana';

let local: LocalSolana;
let connection: Connection;
let alice: Keypair;
let bob: Keypair;

beforeAll(async () => {
  local = await startLocalSolana();
  ({ connection, alice, bob } = local);
});
afterAll(() => local.stop());

const responseTo = async (body: unknown): Promise<unknown> => {
  const sent = Array.isArray(body) ? body : { jsonrpc: '2.0', id: 1, ...(body as object) };
  return (await fetch(local.validator.rpcUrl, { method: 'POST', body: JSON.stringify(sent) })).json();
};
/** Any 32 bytes that are no recent blockhash. */
const noBlockhash = () => bob.publicKey.toBase58();

describe('the embedded Solana chain, seen by the standard client library', () => {
  it('executes transactions, charges the fees of a cluster, and reports transactions by commitment', async () => {
    const to = Keypair.generate().publicKey;
    const before = await connection.getBalance(alice.publicKey);
    const budget = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 10_001 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 3000 }),
    ];
    const transaction = await local.built([...budget, pay(alice, to, SOL), memo('olá')]);
    const fee = (await connection.getFeeForMessage(transaction.message)).value!;
    expect(fee).toBe(5000 + 31);
    const signature = await connection.sendTransaction(transaction);
    const statusOf = async () => (await connection.getSignatureStatus(signature)).value;
    expect(await statusOf()).toMatchObject({ confirmationStatus: 'processed', err: null });
    expect(await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })).toBeNull();
    await local.advance(1);
    expect(await statusOf()).toMatchObject({ confirmationStatus: 'confirmed' });
    expect(await connection.getSignaturesForAddress(to, {}, 'finalized')).toEqual([]);
    await local.advance(5);
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

  it('rejects a transaction that would fail with the error of the program, and charges nothing', async () => {
    const before = await connection.getBalance(alice.publicKey);
    const poor = await local.built([pay(alice, bob.publicKey, 1_000_000n * BigInt(SOL))]);
    const refused = await connection.sendTransaction(poor).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SendTransactionError);
    expect((refused as SendTransactionError).transactionError.message).toContain('custom program error: 0x1');
    expect((refused as SendTransactionError).logs!.join()).toContain('insufficient lamports');
    const unfunded = Keypair.generate();
    const penniless = await local.built([memo('x')], { signers: [unfunded] });
    await expect(connection.sendTransaction(penniless)).rejects.toThrow('no record of a prior credit');
    const dust = await local.built([pay(alice, Keypair.generate().publicKey, 1)]);
    await expect(connection.sendTransaction(dust)).rejects.toThrow('insufficient funds for rent');
    expect(await connection.getBalance(alice.publicKey)).toBe(before);
  });

  it('runs, records and charges a failing transaction that is sent without preflight', async () => {
    const before = await connection.getBalance(alice.publicKey);
    const poor = await local.built([pay(alice, bob.publicKey, 1_000_000n * BigInt(SOL))]);
    const signature = await connection.sendTransaction(poor, { skipPreflight: true });
    await local.advance(1);
    const err = { InstructionError: [0, { Custom: 1 }] };
    expect((await connection.getSignatureStatus(signature)).value).toMatchObject({ err });
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found!.meta).toMatchObject({ err, fee: 5000 });
    expect(await connection.getBalance(alice.publicKey)).toBe(before - 5000);
  });

  it('takes a blockhash for 150 slots, a transaction once, and only with its signatures', async () => {
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('processed');
    const transaction = await local.built([memo('once')], { blockhash });
    await connection.sendTransaction(transaction);
    await expect(connection.sendTransaction(transaction)).rejects.toThrow('already been processed');
    const late = await local.built([memo('late')], { blockhash });
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(true);
    await local.advance(lastValidBlockHeight - (await connection.getBlockHeight('processed')) + 1);
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(false);
    await expect(connection.sendTransaction(late)).rejects.toThrow('Blockhash not found');
    const dropped = await connection.sendTransaction(late, { skipPreflight: true });
    expect((await connection.getSignatureStatus(dropped)).value).toBeNull();
    const unsigned = new VersionedTransaction((await local.built([memo('unsigned')])).message);
    await expect(connection.sendTransaction(unsigned)).rejects.toThrow('signature verification failure');
  });

  it('simulates without signatures and without a trace', async () => {
    const transaction = new VersionedTransaction(
      (await local.built([pay(alice, bob.publicKey, SOL)], { blockhash: noBlockhash() })).message,
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
      new VersionedTransaction((await local.built([memo('x')])).message),
      { sigVerify: true },
    );
    expect(verified.value.err).toBe('SignatureFailure');
  });
  it('moves tokens of both programs between associated accounts and reports the balances', async () => {
    for (const [symbol, program] of [
      ['USDC', undefined],
      ['PITU', TOKEN_2022_PROGRAM_ID],
    ] as const) {
      const mint = local.mint(symbol);
      const owner = Keypair.generate().publicKey;
      const [from, to] = [alice.publicKey, owner].map((key) =>
        getAssociatedTokenAddressSync(mint, key, false, program),
      );
      const { decimals, supply } = await getMint(connection, mint, 'confirmed', program);
      expect(supply).toBeGreaterThan(0n);
      const signature = await local.send([
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
    await local.send([create]);
    await local.send([
      AddressLookupTableProgram.extendLookupTable({ ...parties, lookupTable: address, addresses: strangers }),
    ]);
    const own = (await connection.getAddressLookupTable(address)).value!;
    const given = (await connection.getAddressLookupTable(new PublicKey(local.validator.lookupTables[1]!.address)))
      .value!;
    expect(given.state.addresses.map(String)).toEqual(local.validator.lookupTables[1]!.addresses);
    const paid = [strangers[3]!, given.state.addresses[7]!];
    const signature = await local.send(
      paid.map((to) => pay(alice, to, SOL)),
      { tables: [own, given] },
    );
    expect(await connection.getBalance(paid[0]!)).toBe(SOL);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found!.meta!.loadedAddresses!.writable.map(String).sort()).toEqual(paid.map(String).sort());
    expect((await connection.getSignaturesForAddress(paid[1]!))[0]).toMatchObject({ signature });
    const refusal = { code: -32015, message: expect.stringContaining('maxSupportedTransactionVersion') };
    expect(
      await responseTo({ method: 'getTransaction', params: [signature, { commitment: 'confirmed' }] }),
    ).toMatchObject({ error: refusal });
  });

  it('indexes the signatures of an account, the newest first, in pages', async () => {
    const account = Keypair.generate().publicKey;
    const signatures: string[] = [];
    for (const lamports of [SOL, SOL + 1, SOL + 2, SOL + 3])
      signatures.unshift(await local.send([pay(alice, account, lamports)]));
    const page = async (options: { limit?: number; before?: string; until?: string }) =>
      (await connection.getSignaturesForAddress(account, options)).map(({ signature }) => signature);
    expect(await page({})).toEqual(signatures);
    expect(await page({ limit: 2 })).toEqual(signatures.slice(0, 2));
    expect(await page({ before: signatures[1]! })).toEqual(signatures.slice(2));
    expect(await page({ until: signatures[2]! })).toEqual(signatures.slice(0, 2));
  });

  it('returns recent priority fees', async () => {
    const account = Keypair.generate().publicKey;
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 4321 });
    const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 1000 });
    await local.send([price, limit, pay(alice, account, SOL)]);
    const fees = await connection.getRecentPrioritizationFees({ lockedWritableAccounts: [account] });
    expect(fees).toHaveLength(150);
    expect(fees.filter(({ prioritizationFee }) => prioritizationFee > 0).map((fee) => fee.prioritizationFee)).toEqual([
      4321,
    ]);
  });

  it('executes airdrops, reports slots and epochs, and rejects unsupported calls as a node does', async () => {
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
    expect(
      await responseTo([
        { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
        { jsonrpc: '2.0', id: 'b', method: 'getStakeMinimumDelegation' },
        { jsonrpc: '2.0', id: 'c', method: 'getAccountInfo', params: ['1'.repeat(60)] },
        { jsonrpc: '2.0', id: 'd', method: 'constructor' },
      ]),
    ).toEqual([
      { jsonrpc: '2.0', id: 'a', result: 'ok' },
      { jsonrpc: '2.0', id: 'b', error: { code: -32601, message: 'Method not found' } },
      { jsonrpc: '2.0', id: 'c', error: { code: -32602, message: 'Invalid param: WrongSize' } },
      { jsonrpc: '2.0', id: 'd', error: { code: -32601, message: 'Method not found' } },
    ]);
  });

  it('goes on as a fork that lost the newest transactions', async () => {
    const account = Keypair.generate().publicKey;
    const kept = await local.send([pay(alice, account, SOL)]);
    const lost = await local.send([pay(alice, account, SOL)]);
    await local.control('validator_dropTransactions', 1);
    expect(await connection.getBalance(account)).toBe(SOL);
    expect((await connection.getSignatureStatuses([kept, lost])).value.map((status) => status?.err)).toEqual([
      null,
      undefined,
    ]);
  });

  it('keeps accounts and history over a restart, and does not run a transaction again', async () => {
    const account = Keypair.generate().publicKey;
    const transaction = await local.built([pay(alice, account, SOL)]);
    const signature = await connection.sendTransaction(transaction);
    const [usdc, table] = [local.mint('USDC'), new PublicKey(local.validator.lookupTables[0]!.address)];
    const before = await connection.getTokenAccountsByOwner(alice.publicKey, { mint: usdc });
    const slot = await connection.getSlot('processed');
    // The machine went down while the next transaction was written.
    const [state] = readdirSync(local.directory);
    appendFileSync(path.join(local.directory, state!, 'ledger.jsonl'), '{"record":{"signa');
    await local.restart();
    ({ connection } = local);
    expect(await connection.getBalance(account)).toBe(SOL);
    expect(await connection.getSlot('processed')).toBe(slot);
    expect(await connection.getTokenAccountsByOwner(alice.publicKey, { mint: usdc })).toMatchObject({
      value: before.value,
    });
    expect((await connection.getAddressLookupTable(table)).value).not.toBeNull();
    await expect(connection.sendTransaction(transaction)).rejects.toThrow('already been processed');
    const next = await local.send([memo('next')]);
    await local.restart();
    ({ connection } = local);
    expect((await connection.getSignatureStatus(next)).value).toMatchObject({ err: null });
    expect((await connection.getSignaturesForAddress(account))[0]).toMatchObject({ signature });
  });
});
