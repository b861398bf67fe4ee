import { createHash, randomUUID } from 'node:crypto';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  unpackAccount,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { DevnetError } from '../../devnet-error';
import { sendTransaction } from '../../solana/send-transaction';
import { fromMicro, toMicro } from './micro-amount';
import type { PayingChain } from './paying-chain';

export interface SolanaPayingChainOptions {
  readonly rpcUrl: string;
  readonly tokens: readonly { readonly address: string; readonly symbol: string; readonly decimals: number }[];
  /** Secret key of the mint authority. */
  readonly mintSecretKey: Uint8Array;
}

const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const LAMPORTS_PER_SOL = 1_000_000_000;
const payer = Keypair.fromSeed(createHash('sha256').update('primary-ramp:payer').digest());

/** The ramp mints the tokens that it pays, so that its balance always suffices. */
export function openSolanaPayingChain({ rpcUrl, tokens, mintSecretKey }: SolanaPayingChainOptions): PayingChain {
  const connection = new Connection(rpcUrl, 'confirmed');
  const minter = Keypair.fromSecretKey(mintSecretKey);
  const named = (symbol: string) => tokens.find((token) => token.symbol === symbol);
  return {
    walletKind: 'SOLANA',
    symbols: new Set(tokens.map(({ symbol }) => symbol)),
    isAddress,
    async balanceOf(symbol, owner) {
      const token = named(symbol);
      if (token === undefined) return 0n;
      const place = placeOf(token.address, owner);
      const account = await connection.getAccountInfo(place);
      return account === null ? 0n : toMicro(unpackAccount(place, account).amount, token.decimals);
    },
    async pay(symbol, to, amount) {
      const token = named(symbol);
      if (token === undefined) throw new DevnetError(`the ramp has no ${symbol} here`);
      await refill(connection);
      const [mint, owner, place] = [new PublicKey(token.address), new PublicKey(to), placeOf(token.address, to)];
      const open = createAssociatedTokenAccountIdempotentInstruction(payer.publicKey, place, owner, mint);
      const units = fromMicro(amount, token.decimals);
      const pay = createMintToInstruction(mint, place, minter.publicKey, units);
      return sendTransaction(connection, { instructions: [open, pay, unique()], signers: [payer, minter] });
    },
  };
}

/** Two payments alike within a moment would else be one transaction. */
const unique = (): TransactionInstruction =>
  new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(randomUUID()) });

const placeOf = (mint: string, owner: string): PublicKey =>
  getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner), true);

async function refill(connection: Connection): Promise<void> {
  const held = await connection.getBalance(payer.publicKey);
  if (held < LAMPORTS_PER_SOL) await connection.requestAirdrop(payer.publicKey, LAMPORTS_PER_SOL * 10);
}

function isAddress(text: string): boolean {
  try {
    return new PublicKey(text).toBase58() === text;
  } catch {
    return false;
  }
}
