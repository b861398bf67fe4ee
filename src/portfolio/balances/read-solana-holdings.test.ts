import {
  createAssociatedTokenAccountInstruction,
  createInitializeAccount3Instruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  ACCOUNT_SIZE,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, SystemProgram } from '@solana/web3.js';
import { type LocalSolana, SOL, startLocalSolana } from '../../../test/solana/local-solana';
import { WRAPPED_SOL } from '../../chains/addresses';
import { serviceError } from '../../errors/service-error';
import { createSolanaRpc, type SolanaRpc } from '../../rpc/solana/solana-rpc';
import type { ChainCalls } from './chain-calls';
import { readSolanaHoldings } from './read-solana-holdings';

const { signal } = new AbortController();
/** Calls without guards and time limit. */
const calls: ChainCalls = { required: (run) => run(signal), optional: (run) => run(signal) };
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

const read = (addresses: readonly string[], tokens: readonly string[] = [], source: Partial<SolanaRpc> = {}) =>
  readSolanaHoldings(
    { solana: { ...solana, ...source }, chain: local.chain(), calls },
    addresses.map((address) => ({ address, tokens })),
  );
const mint = (symbol: string): string => local.mint(symbol).toBase58();

describe('balances on Solana', () => {
  it('are SOL and the tokens of both programs, in base units, of one slot', async () => {
    const alice = local.alice.publicKey.toBase58();
    const stranger = Keypair.generate().publicKey.toBase58();
    const byWallet = await read([alice, stranger], [mint('USDC')]);
    const { block, holdings, isTruncated } = byWallet.get(alice)!;
    expect(block.number).toBeGreaterThan(0n);
    expect(block.number).toBeLessThanOrEqual(BigInt(await local.connection.getSlot('processed')));
    expect(Math.abs(Date.now() / 1000 - Number(block.timestamp))).toBeLessThan(3600);
    expect(isTruncated).toBe(false);
    expect(holdings[0]).toMatchObject({ token: WRAPPED_SOL, isNative: true, amount: 10_000n * BigInt(SOL) });
    expect(holdings).toContainEqual(expect.objectContaining({ token: mint('USDC'), amount: 10n ** 12n, decimals: 6 }));
    expect(holdings.map(({ token }) => token)).toContain(mint('PITU')); // Token-2022
    expect(byWallet.get(stranger)!.holdings).toMatchObject([
      { token: WRAPPED_SOL, isNative: true, amount: 0n },
      { token: mint('USDC'), isNative: false, amount: 0n },
    ]);
  });

  it('add up all accounts of a mint', async () => {
    const [owner, second] = [Keypair.generate(), Keypair.generate()];
    const usdc = local.mint('USDC');
    const [from, first] = [local.alice, owner].map(({ publicKey }) => getAssociatedTokenAddressSync(usdc, publicKey));
    const space = ACCOUNT_SIZE;
    const lamports = Number(await solana.rent(local.chain().chainId, space));
    const payer = local.alice.publicKey;
    await local.send(
      [
        createAssociatedTokenAccountInstruction(payer, first!, owner.publicKey, usdc),
        SystemProgram.createAccount({
          fromPubkey: payer,
          newAccountPubkey: second.publicKey,
          lamports,
          space,
          programId: TOKEN_PROGRAM_ID,
        }),
        createInitializeAccount3Instruction(second.publicKey, usdc, owner.publicKey),
        createTransferCheckedInstruction(from!, usdc, first!, payer, 5n, 6),
        createTransferCheckedInstruction(from!, usdc, second.publicKey, payer, 7n, 6),
      ],
      { signers: [local.alice, second] },
    );
    const address = owner.publicKey.toBase58();
    const held = (await read([address])).get(address)!.holdings.filter(({ token }) => token === usdc.toBase58());
    expect(held).toMatchObject([{ amount: 12n, decimals: 6 }]);
  });

  it('of one wallet that cannot be read leave the others intact', async () => {
    const [alice, bob] = [local.alice, local.bob].map(({ publicKey }) => publicKey.toBase58());
    const down = serviceError('PROVIDER_UNAVAILABLE', { provider: 'solana RPC', reason: 'too large' });
    const byWallet = await read([alice!, bob!], [mint('USDC')], {
      ownedTokensOfEach: async (...given) => [
        { status: 'rejected', reason: down },
        ...(await solana.ownedTokensOfEach(...given)).slice(1),
      ],
    });
    expect(byWallet.get(alice!)!.isTruncated).toBe(true);
    expect(byWallet.get(alice!)!.holdings).toMatchObject([
      { isNative: true, problem: undefined },
      { token: mint('USDC'), amount: undefined, problem: 'NOT_READ' },
    ]);
    expect(byWallet.get(bob!)!.isTruncated).toBe(false);
    expect(byWallet.get(bob!)!.holdings.length).toBeGreaterThan(1);
  });

  it('have the slot and a time of the call that is behind, and none of a call that is far behind', async () => {
    const alice = local.alice.publicKey.toBase58();
    const behind = async (slots: bigint) => {
      const { clock, lamports } = await solana.walletLamports(local.chain().chainId, [alice], signal);
      const byWallet = await read([alice], [mint('USDC')], {
        walletLamports: () => Promise.resolve({ clock, lamports }),
        ownedTokensOfEach: async (...given) =>
          (await solana.ownedTokensOfEach(...given)).map((result) =>
            result.status === 'rejected'
              ? result
              : { ...result, value: { ...result.value, slot: clock!.slot - slots } },
          ),
      });
      const { block, holdings } = byWallet.get(alice)!;
      const usdc = holdings.find(({ token }) => token === mint('USDC'));
      return { lag: clock!.slot - block.number, earlier: clock!.unixSeconds - block.timestamp, problem: usdc?.problem };
    };
    expect(await behind(-5n)).toEqual({ lag: 0n, earlier: 0n, problem: undefined });
    expect(await behind(10n)).toEqual({ lag: 10n, earlier: 10n, problem: undefined });
    expect(await behind(1000n)).toEqual({ lag: 0n, earlier: 0n, problem: 'NOT_READ' });
  });

  it('are unavailable as a whole when the chain is', async () => {
    const down = serviceError('PROVIDER_UNAVAILABLE', { provider: 'solana RPC', reason: 'it is down' });
    const alice = local.alice.publicKey.toBase58();
    await expect(read([alice], [], { walletLamports: () => Promise.reject(down) })).rejects.toBe(down);
    await expect(
      read([alice], [], { walletLamports: () => Promise.resolve({ clock: undefined, lamports: [] }) }),
    ).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    });
  });
});
