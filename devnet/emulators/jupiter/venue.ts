import {
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createInitializeAccount3Instruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  type Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js';
import { sendTransaction } from '../../solana/send-transaction';

const TOKEN_ACCOUNT_BYTES = 165;

/** A token that the venue trades. */
export interface VenueToken {
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** A swap at a price that is agreed. Amounts in base units. */
export interface VenueSwap {
  readonly taker: PublicKey;
  readonly tokenIn: VenueToken;
  readonly tokenOut: VenueToken;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** Token account, or for SOL the wallet, that receives in place of the taker. */
  readonly destination: PublicKey | undefined;
}

export interface VenueInstructions {
  readonly setup: readonly TransactionInstruction[];
  readonly swap: TransactionInstruction;
  readonly other: readonly TransactionInstruction[];
  readonly cleanup: TransactionInstruction | undefined;
}

/** Sells from its own holdings on the local Solana chain. */
export interface Venue {
  readonly lookupTable: { readonly address: string; readonly addresses: readonly string[] };
  /** Reserves the bought tokens for the taker and returns the instructions that transfer them. Requires only the taker's signature. */
  prepare(swap: VenueSwap): Promise<VenueInstructions>;
}

/** `owner` holds SOL and some of each token. */
export async function openVenue(connection: Connection, owner: Keypair, tokens: readonly VenueToken[]): Promise<Venue> {
  const send = (instructions: readonly TransactionInstruction[], signers: readonly Keypair[] = []) =>
    sendTransaction(connection, { instructions, signers: [owner, ...signers] });
  const holdings = tokens.map(({ mint }) => accountOf(new PublicKey(mint), owner.publicKey));
  await send(
    tokens.map(({ mint }, index) =>
      createAssociatedTokenAccountIdempotentInstruction(
        ...([owner.publicKey, holdings[index] ?? owner.publicKey, owner.publicKey, new PublicKey(mint)] as const),
      ),
    ),
  );
  const lookupTable = await createLookupTable({ connection, owner, send }, [
    ...tokens.map(({ mint }) => new PublicKey(mint)),
    ...holdings,
  ]);
  return {
    lookupTable,
    async prepare(swap) {
      const aside = await setAside({ connection, owner, send }, swap);
      return instructionsOf({ owner: owner.publicKey, aside }, swap);
    },
  };
}

interface Seller {
  readonly connection: Connection;
  readonly owner: Keypair;
  readonly send: (instructions: readonly TransactionInstruction[], signers?: readonly Keypair[]) => Promise<unknown>;
}

const accountOf = (mint: PublicKey, owner: PublicKey): PublicKey => getAssociatedTokenAddressSync(mint, owner, true);

/** A token account with exactly the bought amount, which the taker may move. */
async function setAside({ connection, owner, send }: Seller, swap: VenueSwap): Promise<PublicKey> {
  const aside = Keypair.generate();
  const mint = new PublicKey(swap.tokenOut.mint);
  const isSol = mint.equals(NATIVE_MINT);
  const rent = await connection.getMinimumBalanceForRentExemption(TOKEN_ACCOUNT_BYTES);
  const open = SystemProgram.createAccount({
    fromPubkey: owner.publicKey,
    newAccountPubkey: aside.publicKey,
    programId: TOKEN_PROGRAM_ID,
    space: TOKEN_ACCOUNT_BYTES,
    lamports: rent + (isSol ? Number.parseInt(swap.amountOut.toString(), 10) : 0),
  });
  const fund = isSol
    ? []
    : [
        transfer(swap.tokenOut, {
          from: accountOf(mint, owner.publicKey),
          to: aside.publicKey,
          authority: owner.publicKey,
          amount: swap.amountOut,
        }),
      ];
  const initialize = createInitializeAccount3Instruction(aside.publicKey, mint, owner.publicKey);
  const approve = createApproveInstruction(aside.publicKey, swap.taker, owner.publicKey, swap.amountOut);
  await send([open, initialize, ...fund, approve], [aside]);
  return aside.publicKey;
}

interface Move {
  readonly from: PublicKey;
  readonly to: PublicKey;
  readonly authority: PublicKey;
  readonly amount: bigint;
}

const transfer = ({ mint, decimals }: VenueToken, { from, to, authority, amount }: Move): TransactionInstruction =>
  createTransferCheckedInstruction(from, new PublicKey(mint), to, authority, amount, decimals);

function instructionsOf(
  { owner, aside }: { readonly owner: PublicKey; readonly aside: PublicKey },
  { taker, tokenIn, tokenOut, amountIn, amountOut, destination }: VenueSwap,
): VenueInstructions {
  const [mintIn, mintOut] = [new PublicKey(tokenIn.mint), new PublicKey(tokenOut.mint)];
  const [sold, bought] = [accountOf(mintIn, taker), accountOf(mintOut, taker)];
  const open = (account: PublicKey, mint: PublicKey) =>
    createAssociatedTokenAccountIdempotentInstruction(taker, account, taker, mint);
  const sellsSol = mintIn.equals(NATIVE_MINT);
  const buysSol = mintOut.equals(NATIVE_MINT);
  const wrap = [
    open(sold, mintIn),
    SystemProgram.transfer({ fromPubkey: taker, toPubkey: sold, lamports: amountIn }),
    createSyncNativeInstruction(sold),
  ];
  const isElsewhere = destination !== undefined && !buysSol;
  const receiver = isElsewhere ? destination : bought;
  const cleanup = sellsSol
    ? createCloseAccountInstruction(sold, taker, taker)
    : createCloseAccountInstruction(bought, destination ?? taker, taker);
  return {
    setup: [...(sellsSol ? wrap : []), ...(isElsewhere ? [] : [open(bought, mintOut)])],
    swap: transfer(tokenIn, { from: sold, to: accountOf(mintIn, owner), authority: taker, amount: amountIn }),
    other: [transfer(tokenOut, { from: aside, to: receiver, authority: taker, amount: amountOut })],
    cleanup: sellsSol || buysSol ? cleanup : undefined,
  };
}

async function createLookupTable(
  { connection, owner, send }: Seller,
  addresses: readonly PublicKey[],
): Promise<Venue['lookupTable']> {
  const recentSlot = (await connection.getSlot('finalized')) - 1;
  const parties = { authority: owner.publicKey, payer: owner.publicKey };
  const [create, address] = AddressLookupTableProgram.createLookupTable({ ...parties, recentSlot });
  await send([create]);
  await send([
    AddressLookupTableProgram.extendLookupTable({ ...parties, lookupTable: address, addresses: [...addresses] }),
  ]);
  return { address: address.toBase58(), addresses: addresses.map((each) => each.toBase58()) };
}
