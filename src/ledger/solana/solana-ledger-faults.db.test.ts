import { createCloseAccountInstruction } from '@solana/spl-token';
import { Keypair, type PublicKey } from '@solana/web3.js';
import { newCustomer } from '../../../test/actions/sample-action';
import { SOL } from '../../../test/solana/local-solana';
import { accountOf, addressOf, recordedLocalSolana, sendTokens } from '../../../test/solana/recorded-local-solana';
import { FINAL } from '../../../test/solana/tracked-local-solana';
import type { CustomerId } from '../../auth/principal';
import type { LandedTransaction } from '../../rpc/solana/landed-transaction';
import { ledgerStates } from '../ledger-states';
import { runSolanaLedgerPass } from './run-solana-ledger-pass';
import { LIMITS, type SolanaLedgerDeps } from './solana-ledger-deps';
import { dueWallets } from './solana-wallet-store';
import { forgetSolanaWallets, wakeSolanaWallets } from './solana-watches';

const { chain, chainId, ledgerDeps, run, watch, movementsOf, coverageOf, fundedWallet } = recordedLocalSolana();

const pass = (deps: SolanaLedgerDeps = ledgerDeps()) => runSolanaLedgerPass(deps, chainId());

const busy = { status: 'rejected', reason: new Error('the node is busy') } as const;

async function amountsOf(customerId: CustomerId, wallet: Keypair): Promise<readonly bigint[]> {
  return (await movementsOf(customerId, wallet)).nodes.map(({ amount }) => amount);
}

/** A watched wallet that received SOL and tokens, in this order. */
async function receiver(...amounts: readonly bigint[]) {
  const [wallet, mint, customerId] = [await fundedWallet(), chain.local.mint('USDC'), newCustomer()];
  const signatures: string[] = [];
  for (const amount of amounts) {
    signatures.push(await chain.local.send(sendTokens(chain.local.alice, wallet, { mint, amount })));
  }
  await chain.local.advance(FINAL);
  await watch(customerId, wallet);
  return { wallet, mint, customerId, signatures };
}

/** Closes the token account of a wallet, after it sent its tokens away. */
async function closeAccount(wallet: Keypair, mint: PublicKey, amount: bigint): Promise<void> {
  const { alice } = chain.local;
  await chain.local.send(sendTokens(wallet, alice, { mint, amount }), { signers: [wallet] });
  const close = createCloseAccountInstruction(accountOf(wallet, mint), alice.publicKey, wallet.publicKey);
  await chain.local.send([close], { signers: [wallet] });
  await chain.local.advance(FINAL);
}

/** A node that shows one transaction in another way. */
const showing = (signature: string, change: (landed: LandedTransaction) => LandedTransaction): SolanaLedgerDeps =>
  ledgerDeps({
    eachTransaction: async (id, request, signal) =>
      (await chain.solana.eachTransaction(id, request, signal)).map((response, index) =>
        response.status === 'fulfilled' && response.value !== undefined && request.signatures[index] === signature
          ? { ...response, value: change(response.value) }
          : response,
      ),
  });

describe('the reading of Solana wallets', () => {
  it('takes turns between customers, however many wallets of one of them are longer due', async () => {
    const { database } = chain.test;
    const [greedy, modest] = [newCustomer(), newCustomer()];
    await database.$executeRaw`
      WITH wallet AS (
        INSERT INTO "SolanaWallet" ("chainId", address, "nextAt")
        SELECT ${chainId()}, 'wallet ' || number, now() - interval '1 hour' FROM generate_series(1, 2500) AS number
        RETURNING id)
      INSERT INTO "SolanaWatch" ("customerId", "walletId") SELECT ${greedy}::uuid, id FROM wallet`;
    const { id } = await database.solanaWallet.create({ data: { chainId: chainId(), address: 'the only one' } });
    await database.solanaWatch.create({ data: { customerId: modest, walletId: id } });
    const due = await dueWallets(database, chainId());
    expect(due).toHaveLength(16);
    expect(due.map((wallet) => wallet.id).indexOf(id)).toBe(1);
  });

  it('reads the first wallet of each customer in every pass, however slow the others are, and is not stalled meanwhile', async () => {
    const { database, pool } = chain.test;
    const [greedy, modest] = [newCustomer(), newCustomer()];
    await watch(greedy, Keypair.generate(), Keypair.generate(), Keypair.generate());
    await watch(modest, Keypair.generate());
    const statuses: string[] = [];
    const slow = ledgerDeps({
      async signaturePages(...given) {
        statuses.push(...(await ledgerStates(pool)).map(({ status }) => status));
        return chain.solana.signaturePages(...given);
      },
    });
    await pass({ ...slow, maxPassMs: -1 });
    const read = await database.solanaWallet.findMany({ where: { readAt: { not: null } }, select: { id: true } });
    const watches = await database.solanaWatch.findMany({ where: { walletId: { in: read.map(({ id }) => id) } } });
    expect(watches.map(({ customerId }) => customerId).sort()).toEqual([greedy, modest].sort());
    expect(statuses).toEqual(['ok', 'ok']);
  });

  it('records the transactions of a wallet although the signatures of one of its accounts cannot be read', async () => {
    const { wallet, mint, customerId } = await receiver(5n);
    const faulty = ledgerDeps({
      signaturePages: async (id, pages, signal) =>
        (await chain.solana.signaturePages(id, pages, signal)).map((response, index) =>
          pages[index]?.address === accountOf(wallet, mint).toBase58() ? busy : response,
        ),
    });
    await run(3, faulty);
    expect(await amountsOf(customerId, wallet)).toEqual([5n, BigInt(SOL)]);
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: false, status: 'behind' }]);
    await run();
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: true, history: 'proven', status: 'ok' }]);
  });

  it('finds later transactions although more than the limit were never shown by a node', async () => {
    const { wallet, customerId } = await receiver();
    const { id: walletId } = await chain.test.database.solanaWallet.findFirstOrThrow();
    await chain.test.database.$executeRaw`
      INSERT INTO "SolanaSignature" ("walletId", signature, slot, attempts, "nextAt")
      SELECT ${walletId}, 'hidden ' || number, 1, 9, now() + interval '1 hour' FROM generate_series(1, ${LIMITS.waiting}::int) AS number`;
    await pass();
    expect(await amountsOf(customerId, wallet)).toEqual([BigInt(SOL)]);
    const [coverage] = await coverageOf(customerId, wallet);
    expect(coverage).toMatchObject({ isComplete: false, incompleteBlocks: LIMITS.waiting, history: 'unproven' });
    expect(await pass()).toBe('caughtUp');
  });

  it('does not take an empty page of a node that lacks the page before for the beginning of the history', async () => {
    const { wallet, customerId } = await receiver(1n, 2n, 3n);
    const lacking = ledgerDeps({
      signaturePages: async (id, pages, signal) =>
        (
          await chain.solana.signaturePages(
            id,
            pages.map((page) => ({ ...page, limit: 2 })),
            signal,
          )
        ).map((response, index) =>
          pages[index]?.before === undefined ? response : { status: 'fulfilled', value: [] },
        ),
    });
    await run(3, lacking);
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: false, toBlock: null }]);
    await run();
    expect(await amountsOf(customerId, wallet)).toEqual([3n, 2n, 1n, BigInt(SOL)]);
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: true, history: 'proven' }]);
  });

  it('sets a transaction aside that cannot be stored, and records the others', async () => {
    const { wallet, customerId, signatures } = await receiver(5n, 6n);
    const beyondTime = showing(signatures[0]!, (landed) => ({ ...landed, blockTime: 10 ** 15 }));
    await run(3, beyondTime);
    expect(await amountsOf(customerId, wallet)).toEqual([6n, BigInt(SOL)]);
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: false, incompleteBlocks: 1 }]);
    await run();
    expect(await amountsOf(customerId, wallet)).toEqual([6n, 5n, BigInt(SOL)]);
  });

  it.each([
    ['is another one', (landed: LandedTransaction) => ({ ...landed, signature: 'another one', tokens: [] })],
    [
      'has lamports that a JSON number rounds',
      (landed: LandedTransaction) => ({
        ...landed,
        lamports: new Map([...landed.lamports].map(([key, { before }]) => [key, { before, after: 2n ** 53n }])),
      }),
    ],
  ])('records no wrong amount of a response that %s', async (_, change) => {
    const { wallet, customerId, signatures } = await receiver(5n);
    await run(3, showing(signatures[0]!, change));
    expect(await amountsOf(customerId, wallet)).toEqual([BigInt(SOL)]);
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: false, incompleteBlocks: 1 }]);
    await run();
    expect(await amountsOf(customerId, wallet)).toEqual([5n, BigInt(SOL)]);
  });

  it('leaves nothing of a wallet that is forgotten during it', async () => {
    const { database } = chain.test;
    const { customerId } = await receiver(5n);
    const forgetting = ledgerDeps({
      async eachTransaction(...given) {
        await database.customerWallet.deleteMany({ where: { customerId } });
        while ((await forgetSolanaWallets(chain.test)) > 0);
        return chain.solana.eachTransaction(...given);
      },
    });
    await pass(forgetting);
    const { solanaWallet, solanaAccount, solanaSignature, solanaMovement } = database;
    const counts = [solanaWallet.count(), solanaAccount.count(), solanaSignature.count(), solanaMovement.count()];
    expect(await Promise.all(counts)).toEqual([0, 0, 0, 0]);
  });
});

describe('the coverage of a Solana wallet', () => {
  it('is behind, and not complete, while its readings fail, and the failure is not shown to others', async () => {
    const { database, pool } = chain.test;
    const { wallet, customerId } = await receiver();
    await run();
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: true, status: 'ok' }]);
    await run(1, ledgerDeps({ signaturePages: () => Promise.reject(new Error('secret of a wallet')) }));
    await database.$executeRaw`UPDATE "SolanaWallet" SET "readAt" = now() - interval '10 minutes'`;
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: false, status: 'behind' }]);
    const [state] = await ledgerStates(pool);
    expect(state).toMatchObject({ status: 'behind', reason: 'the last reading of 1 wallet failed' });
    await run();
    expect((await ledgerStates(pool))[0]).toMatchObject({ status: 'ok', reason: undefined });
  });

  it('stays incomplete after accounts beyond the limit were closed, whose transactions were never read', async () => {
    const { database } = chain.test;
    const { wallet, mint, customerId } = await receiver(5n, 6n);
    await closeAccount(wallet, mint, 11n);
    const { id: walletId } = await database.solanaWallet.findFirstOrThrow();
    const others = Array.from({ length: LIMITS.accounts - 1 }, () => addressOf(Keypair.generate()));
    await database.solanaAccount.createMany({ data: others.map((address) => ({ walletId, address })) });
    await run();
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: false, history: 'unproven' }]);
  });

  it('begins after the slot of the oldest signature that was read, whose others may be left out', async () => {
    const { wallet, customerId } = await receiver();
    await run();
    await chain.test.database.solanaAccount.updateMany({ data: { oldestSlot: 7 } });
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ fromBlock: 8, historyFromBlock: 8 }]);
  });

  it('is requested without waiting for a worker that writes the wallet', async () => {
    const { database } = chain.test;
    const { wallet, customerId } = await receiver();
    const requested = { customerId, addresses: [addressOf(wallet)] };
    await run();
    await database.solanaWallet.updateMany({ data: { nextAt: new Date(Date.now() + 200_000) } });
    const woken = await database.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT 1 FROM "SolanaWallet" FOR UPDATE`;
      return wakeSolanaWallets(database, requested);
    });
    expect(woken).toBe(0);
    expect(await wakeSolanaWallets(database, requested)).toBe(1);
  });
});
