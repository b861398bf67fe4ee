import {
  createAssociatedTokenAccountInstruction,
  createEnableRequiredMemoTransfersInstruction,
  createFreezeAccountInstruction,
  createReallocateInstruction,
  ExtensionType,
  getAccount,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, NONCE_ACCOUNT_LENGTH, PublicKey, SystemProgram } from '@solana/web3.js';
import { type LocalSolana, pay, SOL, startLocalSolana } from '../../../../test/solana/local-solana';
import { WRAPPED_SOL } from '../../../chains/addresses';
import { toBaseUnits } from '../../../money/base-units';
import { uuidV7 } from '../../../persistence/uuid-v7';
import { createSolanaRpc, type SolanaRpc } from '../../../rpc/solana/solana-rpc';
import { buildSolanaTransaction } from '../../execution/solana/build-transaction';
import { transferInstructions } from './transfer-instructions';

const { signal } = new AbortController();
let local: LocalSolana;
let solana: SolanaRpc;
let alice: Keypair;
let bob: Keypair;

beforeAll(async () => {
  local = await startLocalSolana();
  ({ alice, bob } = local);
  solana = createSolanaRpc({ chains: local.chains(), log: { warn: () => undefined } });
});
afterAll(async () => {
  await solana.close();
  await local.stop();
});

const tokenOf = (symbol: string) => {
  const { validator } = local;
  const { address, name, decimals } = [...validator.tokens, ...validator.unlistedTokens].find(
    (token) => token.symbol === symbol,
  )!;
  return { chainId: validator.chain.chainId, address, symbol, name, decimals, logoURI: undefined };
};

interface Order {
  readonly symbol: string;
  readonly amount: bigint;
  readonly to: PublicKey;
  readonly from?: Keypair;
  readonly memo?: string;
}

const instructionsFor = ({ symbol, amount, to, from = alice, memo }: Order) =>
  transferInstructions(
    { solana },
    {
      token: tokenOf(symbol),
      amount: toBaseUnits(amount),
      memo,
      signal,
      sender: from.publicKey.toBase58(),
      recipient: to.toBase58(),
    },
  );
const transfer = async (order: Order): Promise<string> => {
  const program = await instructionsFor(order);
  const built = await buildSolanaTransaction({ solana }, { program, actionId: uuidV7(), signal });
  expect(built.simulation).toEqual({ status: 'SUCCESS', reason: undefined });
  return local.sign(built.rawTransaction, order.from ?? alice);
};
const thirdParty = () => Keypair.generate().publicKey;
const refusal = (kind: string, reason: string) => ({
  code: 'TRANSFER_VALIDATION_FAILED',
  details: { kind, reason: expect.stringContaining(reason) },
});
const account = (symbol: string, owner: PublicKey, program?: PublicKey) =>
  getAssociatedTokenAddressSync(local.mint(symbol), owner, false, program);

describe('a transfer on Solana', () => {
  it('moves SOL, identified by the mint of wrapped SOL, to an empty wallet', async () => {
    const to = thirdParty();
    expect(tokenOf('SOL').address).toBe(WRAPPED_SOL);
    await transfer({ symbol: 'SOL', amount: 1_234_567_891n, to });
    expect(await local.connection.getBalance(to)).toBe(1_234_567_891);
  });

  it.each([
    ['USDC', undefined],
    ['BRZ', undefined],
    ['BRS', undefined],
    ['PITU', TOKEN_2022_PROGRAM_ID],
  ])('moves %s, and creates the missing token account of the recipient', async (symbol, program) => {
    const to = thirdParty();
    for (const held of [77n, 154n]) {
      await transfer({ symbol, amount: 77n, to });
      const { amount } = await getAccount(local.connection, account(symbol, to, program), 'confirmed', program);
      expect(amount).toBe(held);
    }
  });

  it('contains a memo for the recipient', async () => {
    const to = thirdParty();
    const memo = 'quote 0190f1d2-0000-7000-8000-000000000000';
    const signature = await transfer({ symbol: 'BRS', amount: 5n, to, memo });
    const [seen] = await local.connection.getSignaturesForAddress(account('BRS', to));
    expect(seen).toMatchObject({ signature, memo: `[${memo.length}] ${memo}` });
  });

  it('accepts a memo of up to 566 bytes', async () => {
    await transfer({ symbol: 'USDC', amount: 1n, to: thirdParty(), memo: 'é'.repeat(283) });
    for (const memo of ['é'.repeat(284), '', '\ud800']) {
      await expect(instructionsFor({ symbol: 'USDC', amount: 1n, to: bob.publicKey, memo })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { errors: [{ path: 'memo', message: expect.any(String) }] },
      });
    }
  });

  it('satisfies a recipient that requires a memo, and is refused without one', async () => {
    const to = Keypair.generate();
    const mine = account('PITU', to.publicKey, TOKEN_2022_PROGRAM_ID);
    await local.send([pay(alice, to.publicKey, SOL)]);
    await local.send(
      [
        createAssociatedTokenAccountInstruction(
          to.publicKey,
          mine,
          to.publicKey,
          local.mint('PITU'),
          TOKEN_2022_PROGRAM_ID,
        ),
        createReallocateInstruction(mine, to.publicKey, [ExtensionType.MemoTransfer], to.publicKey),
        createEnableRequiredMemoTransfersInstruction(mine, to.publicKey),
      ],
      { signers: [to] },
    );
    const order = { symbol: 'PITU', amount: 3n, to: to.publicKey };
    await expect(instructionsFor(order)).rejects.toMatchObject(refusal('MEMO_REQUIRED', 'with a memo only'));
    await transfer({ ...order, memo: 'here' });
    expect((await getAccount(local.connection, mine, 'confirmed', TOKEN_2022_PROGRAM_ID)).amount).toBe(3n);
  });

  it('is refused to recipients that could not spend the tokens', async () => {
    const nonce = Keypair.generate();
    await local.send(
      [
        SystemProgram.createAccount({
          fromPubkey: alice.publicKey,
          newAccountPubkey: nonce.publicKey,
          programId: SystemProgram.programId,
          lamports: SOL,
          space: NONCE_ACCOUNT_LENGTH,
        }),
      ],
      { signers: [alice, nonce] },
    );
    const nowhere = account('BRZ', thirdParty());
    const strangers: readonly (readonly [PublicKey, string])[] = [
      [account('USDC', bob.publicKey), 'a token account'],
      [local.mint('USDC'), 'is a token'],
      [new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'), 'is a program'],
      [new PublicKey(local.validator.lookupTables[0]!.address), 'it belongs to the program AddressLookupTab'],
      [nonce.publicKey, 'it belongs to the program 1111'],
      [nowhere, 'no private key and no account'],
    ];
    for (const symbol of ['SOL', 'USDC']) {
      for (const [to, reason] of strangers) {
        const refused = refusal('RECIPIENT_IS_NOT_A_WALLET', reason);
        await expect(instructionsFor({ symbol, amount: BigInt(SOL), to })).rejects.toMatchObject(refused);
      }
    }
    await expect(instructionsFor({ symbol: 'SOL', amount: 1n, to: alice.publicKey })).rejects.toMatchObject(
      refusal('RECIPIENT_IS_SENDER', 'is the sender'),
    );
  });

  it('is refused when the funds do not suffice, with the held and the needed amount', async () => {
    const poor = Keypair.generate();
    await local.send([pay(alice, poor.publicKey, 2_000_000)]);
    await transfer({ symbol: 'USDC', amount: 1_500_000n, to: poor.publicKey });
    const order = { symbol: 'USDC', to: thirdParty(), from: poor };
    await expect(instructionsFor({ ...order, amount: 1_500_001n })).rejects.toMatchObject(
      refusal('INSUFFICIENT_BALANCE', 'holds 1.5 USDC of 1.500001 USDC'),
    );
    await expect(instructionsFor({ ...order, amount: 1n })).rejects.toMatchObject(
      refusal('INSUFFICIENT_BALANCE', 'holds 0.002 SOL of 0.00204428 SOL needed for the fee and for creating'),
    );
    await transfer({ ...order, amount: 1n, to: alice.publicKey });
    const tooMuch = { symbol: 'SOL', amount: 2_000_000n, to: bob.publicKey, from: poor };
    await expect(instructionsFor(tooMuch)).rejects.toMatchObject(refusal('INSUFFICIENT_BALANCE', 'the fee included'));
    await expect(instructionsFor({ ...tooMuch, amount: 2n ** 200n })).rejects.toMatchObject({
      code: 'TRANSFER_VALIDATION_FAILED',
    });
    await expect(instructionsFor({ symbol: 'BRZ', amount: 1n, to: bob.publicKey, from: poor })).rejects.toMatchObject(
      refusal('INSUFFICIENT_BALANCE', 'holds 0 BRZ of 0.0001 BRZ'),
    );
  });

  it('is refused when an empty wallet would hold less SOL than the rent minimum', async () => {
    await expect(instructionsFor({ symbol: 'SOL', amount: 890_879n, to: thirdParty() })).rejects.toMatchObject(
      refusal('AMOUNT_TOO_SMALL', 'at least 0.00089088 SOL'),
    );
    await transfer({ symbol: 'SOL', amount: 890_880n, to: thirdParty() });
    await transfer({ symbol: 'SOL', amount: 1n, to: bob.publicKey });
  });

  it('is refused when an account is frozen', async () => {
    const victim = Keypair.generate();
    await local.send([pay(alice, victim.publicKey, SOL)]);
    await transfer({ symbol: 'BRZ', amount: 9n, to: victim.publicKey });
    const held = account('BRZ', victim.publicKey);
    await local.send([createFreezeAccountInstruction(held, local.mint('BRZ'), alice.publicKey)]);
    await expect(instructionsFor({ symbol: 'BRZ', amount: 1n, to: victim.publicKey })).rejects.toMatchObject(
      refusal('ACCOUNT_FROZEN', "recipient's"),
    );
    await expect(instructionsFor({ symbol: 'BRZ', amount: 1n, to: bob.publicKey, from: victim })).rejects.toMatchObject(
      refusal('ACCOUNT_FROZEN', "sender's"),
    );
  });

  it('is refused for a token that the chain does not have', async () => {
    const token = { ...tokenOf('USDC'), address: thirdParty().toBase58() };
    const requested = transferInstructions(
      { solana },
      {
        token,
        amount: toBaseUnits(1n),
        memo: undefined,
        signal,
        sender: alice.publicKey.toBase58(),
        recipient: bob.publicKey.toBase58(),
      },
    );
    await expect(requested).rejects.toMatchObject(refusal('TOKEN_NOT_SUPPORTED', 'the token does not exist'));
  });
});
