import { randomUUID } from 'node:crypto';
import { createCloseAccountInstruction, createTransferInstruction } from '@solana/spl-token';
import type { Keypair, PublicKey } from '@solana/web3.js';
import { newCustomer } from '../../../test/actions/sample-action';
import { memo, SOL } from '../../../test/solana/local-solana';
import { accountOf, addressOf, recordedLocalSolana, sendTokens } from '../../../test/solana/recorded-local-solana';
import { FINAL } from '../../../test/solana/tracked-local-solana';
import { WRAPPED_SOL } from '../../chains/addresses';
import { ledgerStates } from '../ledger-states';
import { runSolanaLedgerPass } from './run-solana-ledger-pass';
import { forgetSolanaWallets, wakeSolanaWallets } from './solana-watches';

const { chain, chainId, ledgerDeps, run, watch, movementsOf, coverageOf, fundedWallet } = recordedLocalSolana();

describe('the movements of a Solana wallet', () => {
  it('are those of its finalized transactions, also of tokens that others sent to its accounts, and add up to its balances', async () => {
    const { alice } = chain.local;
    const [wallet, mint, customerId] = [await fundedWallet(), chain.local.mint('USDC'), newCustomer()];
    const received = await chain.local.send(sendTokens(alice, wallet, { mint, amount: 900n }));
    await watch(customerId, wallet);
    await run(1);
    expect((await movementsOf(customerId, wallet)).nodes).toEqual([]); // not final
    await chain.local.advance(FINAL);
    await run();
    // Names the token account of the wallet, and not the wallet.
    const again = await chain.local.send([
      createTransferInstruction(accountOf(alice, mint), accountOf(wallet, mint), alice.publicKey, 50n),
    ]);
    const sent = await chain.local.send(sendTokens(wallet, alice, { mint, amount: 950n }), { signers: [wallet] });
    const closed = await chain.local.send(
      [createCloseAccountInstruction(accountOf(wallet, mint), alice.publicKey, wallet.publicKey)],
      { signers: [wallet] },
    );
    await chain.local.send([memo('only a fee')], { signers: [wallet] });
    await chain.local.advance(FINAL);
    await run();
    const { nodes } = await movementsOf(customerId, wallet);
    const usdc = mint.toBase58();
    expect(nodes.map(({ txHash, kind, token, amount }) => [txHash, kind, token, amount])).toEqual([
      [sent, 'transferOut', usdc, 950n],
      [again, 'transferIn', usdc, 50n],
      [received, 'transferIn', usdc, 900n],
      [expect.any(String), 'transferIn', WRAPPED_SOL, BigInt(SOL)],
    ]);
    expect(nodes.map(({ txHash }) => txHash)).not.toContain(closed); // its rent went to another account
    expect(nodes[0]).toMatchObject({ counterparty: addressOf(alice), isFinal: true, blockHash: null, logIndex: null });
    expect(await coverageOf(customerId, wallet)).toMatchObject([
      { chainId: chainId(), fromBlock: 0, history: 'proven', isComplete: true, incompleteBlocks: 0, status: 'ok' },
    ]);
    expect(await ledgerStates(chain.test.pool)).toMatchObject([{ chainId: chainId(), status: 'ok', quarantined: 0 }]);
  });

  it('are listed in pages, by token and by chain', async () => {
    const { alice } = chain.local;
    const [wallet, mint, customerId] = [await fundedWallet(), chain.local.mint('USDC'), newCustomer()];
    for (const amount of [1n, 2n, 3n]) await chain.local.send(sendTokens(alice, wallet, { mint, amount }));
    await chain.local.advance(FINAL);
    await watch(customerId, wallet);
    await run();
    const seen: bigint[] = [];
    for (let after: string | undefined; ;) {
      const { nodes, pageInfo } = await movementsOf(customerId, wallet, { first: 1, after });
      seen.push(...nodes.map(({ amount }) => amount));
      after = pageInfo.endCursor ?? undefined;
      if (!pageInfo.hasNextPage) break;
    }
    expect(seen).toEqual([3n, 2n, 1n, BigInt(SOL)]);
    expect((await movementsOf(customerId, wallet, { token: mint.toBase58() })).nodes).toHaveLength(3);
    expect((await movementsOf(customerId, wallet, { chainId: chainId() })).nodes).toHaveLength(4);
    await expect(movementsOf(customerId, wallet, { after: 'WzFd' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    await expect(movementsOf(customerId, wallet, { chainId: 5 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('are shown to customers that watch the wallet, and deleted with the last of them', async () => {
    const [wallet, one, other] = [await fundedWallet(), newCustomer(), newCustomer()];
    await chain.local.advance(FINAL);
    await watch(one, wallet);
    await run();
    expect((await movementsOf(one, wallet)).nodes).toHaveLength(1);
    expect([(await movementsOf(other, wallet)).nodes, await coverageOf(other, wallet)]).toEqual([[], []]);
    await chain.test.database.customerWallet.deleteMany({ where: { customerId: one } });
    expect((await movementsOf(one, wallet)).nodes).toEqual([]);
    while ((await forgetSolanaWallets(chain.test)) > 0);
    const counts = [chain.test.database.solanaWallet.count(), chain.test.database.solanaMovement.count()];
    expect(await Promise.all(counts)).toEqual([0, 0]);
  });

  it('of a transaction that the node does not show are set aside and recorded later, and stop no other', async () => {
    const { alice } = chain.local;
    const [wallet, mint, customerId] = [await fundedWallet(), chain.local.mint('USDC'), newCustomer()];
    const hidden = await chain.local.send(sendTokens(alice, wallet, { mint, amount: 7n }));
    await chain.local.send(sendTokens(alice, wallet, { mint, amount: 8n }));
    await chain.local.advance(FINAL);
    await watch(customerId, wallet);
    const hiding = ledgerDeps({
      eachTransaction: async (id, request, signal) =>
        (await chain.solana.eachTransaction(id, request, signal)).map((response, index) =>
          request.signatures[index] === hidden ? { status: 'fulfilled', value: undefined } : response,
        ),
    });
    await run(3, hiding);
    const amounts = async () => (await movementsOf(customerId, wallet)).nodes.map(({ amount }) => amount);
    expect(await amounts()).toEqual([8n, BigInt(SOL)]);
    expect(await coverageOf(customerId, wallet)).toMatchObject([
      { incompleteBlocks: 1, isComplete: false, history: 'unproven' },
    ]);
    await run();
    expect(await amounts()).toEqual([8n, 7n, BigInt(SOL)]);
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: true, history: 'proven' }]);
  });

  it('of a wallet with more token accounts than a node lists are recorded, and not complete', async () => {
    const [wallet, customerId] = [await fundedWallet(), newCustomer()];
    await chain.local.advance(FINAL);
    await watch(customerId, wallet);
    const flooded = ledgerDeps({
      ownedTokensOfEach: () =>
        Promise.resolve([{ status: 'rejected', reason: new Error('the response is too large') }]),
    });
    await run(3, flooded);
    expect((await movementsOf(customerId, wallet)).nodes).toHaveLength(1);
    expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: false, history: 'unproven' }]);
  });

  it('equal the balances of random histories through calls that fail, pages that are cut and passes that are interrupted', async () => {
    const { alice } = chain.local;
    const customerId = newCustomer();
    const mints = ['USDC', 'BRZ'].map((symbol) => chain.local.mint(symbol));
    const wallets = [await fundedWallet(), await fundedWallet(), await fundedWallet()];
    await watch(customerId, ...wallets);
    let calls = 0;
    const fails = (): boolean => (calls += 1) % 4 === 0;
    const failing = ledgerDeps({
      async signaturePages(id, pages, signal) {
        const responses = await chain.solana.signaturePages(
          id,
          pages.map((page) => ({ ...page, limit: 3 })),
          signal,
        );
        return responses.map((response) =>
          fails() ? { status: 'rejected', reason: new Error('the node is busy') } : response,
        );
      },
      async eachTransaction(id, request, signal) {
        if (fails()) throw new Error('the connection was lost');
        return chain.solana.eachTransaction(id, request, signal);
      },
    });
    const held = new Map<string, bigint>();
    const keyOf = (wallet: Keypair, mint: PublicKey): string => `${addressOf(wallet)} ${mint.toBase58()}`;
    const heldBy = (wallet: Keypair, mint: PublicKey): bigint => held.get(keyOf(wallet, mint)) ?? 0n;
    const change = (wallet: Keypair, mint: PublicKey, amount: bigint): void =>
      void held.set(keyOf(wallet, mint), heldBy(wallet, mint) + amount);
    for (let step = 0; step < 60; step += 1) {
      const [from, to] = [[alice, ...wallets][(step * 7) % 4]!, wallets[(step * 5 + 1) % 3]!];
      const mint = mints[step % 2]!;
      const available = from === alice ? 1000n : heldBy(from, mint);
      const amount = (available * BigInt((step % 3) + 1)) / 3n;
      if (from === to || amount === 0n) continue;
      await chain.local.send(sendTokens(from, to, { mint, amount }), { signers: [from] });
      change(from, mint, -amount);
      change(to, mint, amount);
      if (step % 6 === 0) await run(1, failing);
    }
    await chain.local.advance(FINAL);
    await run(40, failing);
    await run(3);
    for (const wallet of wallets) {
      for (const mint of mints) {
        const { nodes } = await movementsOf(customerId, wallet, { first: 100, token: mint.toBase58() });
        const total = nodes.reduce((sum, { kind, amount }) => sum + (kind === 'transferIn' ? amount : -amount), 0n);
        expect(total).toBe(heldBy(wallet, mint));
      }
      expect(await coverageOf(customerId, wallet)).toMatchObject([{ isComplete: true, history: 'proven' }]);
    }
  });

  it('are read sooner when they are requested, unless the last reading failed', async () => {
    const { database } = chain.test;
    const [wallet, customerId] = [await fundedWallet(), newCustomer()];
    await chain.local.advance(FINAL);
    await watch(customerId, wallet);
    const dueAfter = async () => {
      await wakeSolanaWallets(database, { customerId, addresses: [addressOf(wallet)] });
      return (await database.solanaWallet.findFirstOrThrow()).nextAt.getTime() <= Date.now() + 6000;
    };
    await run(1, ledgerDeps({ signaturePages: () => Promise.reject(new Error('the node is busy')) }));
    expect(await dueAfter()).toBe(false);
    await run();
    const later = { nextAt: new Date(Date.now() + 200_000) };
    await database.solanaWallet.updateMany({ data: later });
    expect(await dueAfter()).toBe(true);
    await database.solanaWallet.updateMany({ data: { ...later, failure: 'the node is busy' } });
    expect(await dueAfter()).toBe(false);
  });

  it('are read by one replica at a time', async () => {
    const wallet = await fundedWallet();
    await chain.local.advance(FINAL);
    await watch(newCustomer(), wallet);
    const other = { ...ledgerDeps(), replicaId: randomUUID() };
    expect(await runSolanaLedgerPass(ledgerDeps(), chainId())).toBe('behind');
    expect(await runSolanaLedgerPass(other, chainId())).toBe('elsewhere');
  });
});
