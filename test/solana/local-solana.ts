import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type AddressLookupTableAccount,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { fromBase58 } from '../../devnet/solana/base58';
import { type SolanaValidator, startSolanaValidator } from '../../devnet/solana/start-solana-validator';
import { createChainTable } from '../../src/chains/chain-table';
import type { Chain } from '../../src/chains/chain';

export const SOL = 1_000_000_000;

/** A separate Solana chain for one test. It advances only when the test requests it. */
export interface LocalSolana {
  readonly directory: string;
  validator: SolanaValidator;
  connection: Connection;
  readonly alice: Keypair;
  readonly bob: Keypair;
  /** The chain's entry in the chain table. */
  chains(): { readonly table: ReturnType<typeof createChainTable>; readonly rpcUrls: ReadonlyMap<number, string> };
  chain(): Chain;
  control(method: string, ...params: readonly unknown[]): Promise<unknown>;
  advance(slots: number): Promise<void>;
  mint(symbol: string): PublicKey;
  built(instructions: readonly TransactionInstruction[], plan?: TransactionPlan): Promise<VersionedTransaction>;
  /** Sends, and waits for the confirmation. */
  send(instructions: readonly TransactionInstruction[], plan?: TransactionPlan): Promise<string>;
  /** Signs and sends a transaction of the service. */
  sign(rawTransaction: string, signer: Keypair, options?: { readonly skipPreflight?: boolean }): Promise<string>;
  /** Kills the chain without a shutdown, and restarts it. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface TransactionPlan {
  /** The first signer pays. Default: Alice. */
  readonly signers?: readonly Keypair[];
  readonly blockhash?: string;
  readonly tables?: readonly AddressLookupTableAccount[];
}

export async function startLocalSolana(): Promise<LocalSolana> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-solana-'));
  const start = () =>
    startSolanaValidator({ dataDirectory: directory, accounts: 3, slotMs: 3_600_000, log: () => undefined });
  const validator = await start();
  const [alice, bob] = validator.accounts.map(({ secretKey }) => Keypair.fromSecretKey(fromBase58(secretKey)));
  const local: LocalSolana = {
    directory,
    validator,
    connection: new Connection(validator.rpcUrl, 'confirmed'),
    alice: alice!,
    bob: bob!,
    chain: () => chainOf(local.validator),
    chains: () => ({
      table: createChainTable([local.chain()]),
      rpcUrls: new Map([[local.chain().chainId, local.validator.rpcUrl]]),
    }),
    async control(method, ...params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(local.validator.rpcUrl, { method: 'POST', body });
      return ((await response.json()) as { result: unknown }).result;
    },
    async advance(slots) {
      await local.control('validator_skipSlots', slots);
    },
    mint(symbol) {
      const { tokens, unlistedTokens } = local.validator;
      return new PublicKey([...tokens, ...unlistedTokens].find((token) => token.symbol === symbol)!.address);
    },
    async built(instructions, { signers = [local.alice], blockhash, tables = [] } = {}) {
      const message = new TransactionMessage({
        payerKey: signers[0]!.publicKey,
        recentBlockhash: blockhash ?? (await local.connection.getLatestBlockhash()).blockhash,
        instructions: [...instructions],
      }).compileToV0Message([...tables]);
      const transaction = new VersionedTransaction(message);
      transaction.sign([...signers]);
      return transaction;
    },
    async send(instructions, plan) {
      const signature = await local.connection.sendTransaction(await local.built(instructions, plan));
      await local.advance(1);
      return signature;
    },
    async sign(rawTransaction, signer, options) {
      const transaction = VersionedTransaction.deserialize(Buffer.from(rawTransaction, 'base64'));
      transaction.sign([signer]);
      const signature = await local.connection.sendTransaction(transaction, options);
      await local.advance(1);
      return signature;
    },
    async restart() {
      await local.validator.stop();
      local.validator = await start();
      local.connection = new Connection(local.validator.rpcUrl, 'confirmed');
    },
    async stop() {
      await local.validator.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return local;
}

const chainOf = ({ chain }: SolanaValidator): Chain => ({
  slug: chain.slug,
  chainId: chain.chainId,
  kind: chain.kind,
  name: chain.name,
  tokens: chain.tokens,
  nativeCurrency: chain.nativeCurrency,
  confirmations: chain.confirmations,
  explorer: undefined,
  wrappedNative: undefined,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
});

export const pay = (from: Keypair, to: PublicKey, lamports: number | bigint): TransactionInstruction =>
  SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports });

export const memo = (text: string): TransactionInstruction =>
  new TransactionInstruction({
    programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    keys: [],
    data: Buffer.from(text),
  });
