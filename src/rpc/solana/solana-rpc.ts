import { AddressLookupTableAccount } from '@solana/web3.js';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { ChainTable } from '../../chains/chain-table';
import { invariant } from '../../errors/invariant-error';
import type { ChainHealth } from '../chain-health';
import { type LandedTransaction, landedTransaction } from './landed-transaction';
import { type OwnedTokens, readOwnedTokens, readTokenBalances, type OwnedTokenAccount } from './owned-tokens';
import { readPriorityFee } from './priority-fee';
import { readSolanaHealth } from './solana-health';
import type { SignaturePage } from './signature-page';
import { createSolanaTransport, type SolanaTransport } from './solana-transport';
import { readWalletLamports, type WalletLamports } from './wallet-lamports';
import {
  accountsResponse,
  balanceResponse,
  blockhashResponse,
  count,
  signaturesResponse,
  simulationResponse,
  statusesResponse,
  transactionResponse,
  type TransactionError,
} from './wire';

export interface SolanaAccount {
  /** Program that owns the account. */
  readonly owner: string;
  readonly lamports: bigint;
  readonly data: Buffer;
  readonly executable: boolean;
}

export interface SolanaSimulation {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly units: bigint | undefined;
}

export interface SeenSignature {
  readonly signature: string;
  readonly slot: number;
  readonly failed: boolean;
}

export interface TransactionsRequest {
  readonly signatures: readonly string[];
  readonly commitment: 'confirmed' | 'finalized';
}

export interface SignatureStatus {
  readonly slot: number;
  readonly isFinal: boolean;
}

/**
 * The Solana chains that this deployment serves.
 *
 * Every function throws PROVIDER_UNAVAILABLE when the chain does not respond in time, and InvariantError for a chain that
 * is not served. Reads use the latest confirmed state.
 */
export interface SolanaRpc {
  /** True when the deployment has an endpoint of this Solana chain; decided without a call. */
  serves(chainId: number): boolean;
  latestBlockhash(
    chainId: number,
    signal?: AbortSignal,
  ): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }>;
  /** In the order of the addresses; `undefined` where there is no account. */
  accounts(
    chainId: number,
    addresses: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (SolanaAccount | undefined)[]>;
  /** What wallets hold, without the data of their accounts, which may be megabytes. Read with the clock of the chain. */
  walletLamports(chainId: number, addresses: readonly string[], signal?: AbortSignal): Promise<WalletLamports>;
  /** Lamports of a wallet. */
  balance(chainId: number, address: string, signal?: AbortSignal): Promise<bigint>;
  /** Every token account of a wallet, of both token programs. */
  tokenBalances(chainId: number, owner: string, signal?: AbortSignal): Promise<readonly OwnedTokenAccount[]>;
  /** Like `tokenBalances`, for several wallets; one whose accounts cannot be read does not fail the others. */
  ownedTokensOfEach(
    chainId: number,
    owners: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly PromiseSettledResult<OwnedTokens>[]>;
  /** Contents of lookup tables by their address; other accounts are omitted. */
  lookupTables(
    chainId: number,
    addresses: readonly string[],
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, readonly string[]>>>;
  /** Simulates a base64 transaction without its signatures and with a current blockhash. */
  simulate(chainId: number, transaction: string, signal?: AbortSignal): Promise<SolanaSimulation>;
  /** Minimum lamports of an account with that many bytes. */
  rent(chainId: number, bytes: number, signal?: AbortSignal): Promise<bigint>;
  /** Recent price of a compute unit for transactions that write these accounts, in millionths of a lamport. */
  recentPriorityFee(chainId: number, writable: readonly string[], signal?: AbortSignal): Promise<bigint>;
  /** The confirmed transactions of each address, the newest first. */
  signaturesOf(
    chainId: number,
    addresses: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly SeenSignature[])[]>;
  /** Like `signaturesOf`; an address whose transactions cannot be read does not fail the others. */
  signaturesOfEach(
    ...given: Parameters<SolanaRpc['signaturesOf']>
  ): Promise<readonly PromiseSettledResult<readonly SeenSignature[]>[]>;
  /** The finalized transactions of each page; one that cannot be read does not fail the others. */
  signaturePages(
    chainId: number,
    pages: readonly SignaturePage[],
    signal?: AbortSignal,
  ): Promise<readonly PromiseSettledResult<readonly SeenSignature[]>[]>;
  /** In the order of the signatures; `undefined` where the commitment is not reached. */
  transactions(
    chainId: number,
    request: TransactionsRequest,
    signal?: AbortSignal,
  ): Promise<readonly (LandedTransaction | undefined)[]>;
  /** Like `transactions`; one that cannot be read does not fail the others. */
  eachTransaction(
    ...given: Parameters<SolanaRpc['transactions']>
  ): Promise<readonly PromiseSettledResult<LandedTransaction | undefined>[]>;
  /** In the order of the signatures; `undefined` for unknown signatures. */
  signatureStatuses(
    chainId: number,
    signatures: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (SignatureStatus | undefined)[]>;
  /** The latest finalized slot. */
  finalizedSlot(chainId: number, signal?: AbortSignal): Promise<number>;
  /** Never throws for a served chain: an unavailable chain is `down`. At most two seconds old. */
  health(chainId: number): Promise<ChainHealth>;
  close(): Promise<void>;
}

export interface SolanaRpcOptions {
  readonly chains: { readonly table: ChainTable; readonly rpcUrls: ReadonlyMap<number, string> };
  readonly log: Pick<Logger, 'warn'>;
  /** Time limit of one request. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 8000;
const HEALTH_TTL_MS = 2000;
const ACCOUNTS_PER_CALL = 100;
const STATUSES_PER_CALL = 256;
const CONFIRMED = { commitment: 'confirmed' } as const;
const BASE64 = { ...CONFIRMED, encoding: 'base64' } as const;

export function createSolanaRpc(options: SolanaRpcOptions): SolanaRpc {
  const transports = transportsOf(options);
  const node = (chainId: number): SolanaTransport => {
    const found = transports.get(chainId);
    invariant(found !== undefined, `chain ${String(chainId)} is not served`);
    return found;
  };
  const healths = new LRUCache<number, ChainHealth>({
    max: Math.max(1, transports.size),
    ttl: HEALTH_TTL_MS,
    fetchMethod: (chainId) => readSolanaHealth(node(chainId)),
  });
  return {
    serves: (chainId) => transports.has(chainId),
    ...stateReads(node),
    ...historyReads(node),
    health: async (chainId) => healths.forceFetch(chainId),
    async close() {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}

function transportsOf({ chains, log, timeoutMs = DEFAULT_TIMEOUT_MS }: SolanaRpcOptions) {
  const transports = new Map<number, SolanaTransport>();
  for (const [chainId, url] of chains.rpcUrls) {
    const { kind, slug } = chains.table.get(chainId);
    if (kind === 'solana') transports.set(chainId, createSolanaTransport({ slug, url, timeoutMs, log }));
  }
  return transports;
}

type NodeOf = (chainId: number) => SolanaTransport;

function stateReads(
  node: NodeOf,
): Pick<
  SolanaRpc,
  | 'latestBlockhash'
  | 'accounts'
  | 'walletLamports'
  | 'balance'
  | 'tokenBalances'
  | 'ownedTokensOfEach'
  | 'lookupTables'
  | 'simulate'
  | 'rent'
  | 'recentPriorityFee'
> {
  const accounts: SolanaRpc['accounts'] = async (chainId, addresses, signal) => {
    const calls = chunksOf(addresses, ACCOUNTS_PER_CALL).map((chunk) => call('getMultipleAccounts', chunk, BASE64));
    const responses = await node(chainId).requestAll(calls, accountsResponse, signal);
    return responses.flatMap(({ value }) => value.map((account) => account ?? undefined));
  };
  return {
    accounts,
    async latestBlockhash(chainId, signal) {
      return (await node(chainId).request(call('getLatestBlockhash', CONFIRMED), blockhashResponse, signal)).value;
    },
    walletLamports: (chainId, addresses, signal) => readWalletLamports(node(chainId), addresses, signal),
    async balance(chainId, address, signal) {
      return (await node(chainId).request(call('getBalance', address, CONFIRMED), balanceResponse, signal)).value;
    },
    tokenBalances: (chainId, owner, signal) => readTokenBalances(node(chainId), owner, signal),
    ownedTokensOfEach: (chainId, owners, signal) => readOwnedTokens(node(chainId), owners, signal),
    async lookupTables(chainId, addresses, signal) {
      const found = await accounts(chainId, addresses, signal);
      return Object.fromEntries(
        addresses.flatMap((address, index) => {
          const table = addressesOf(found[index]);
          return table === undefined ? [] : [[address, table]];
        }),
      );
    },
    async simulate(chainId, transaction, signal) {
      const config = { ...BASE64, sigVerify: false, replaceRecentBlockhash: true };
      const simulation = call('simulateTransaction', transaction, config);
      const { err, logs, unitsConsumed } = (await node(chainId).request(simulation, simulationResponse, signal)).value;
      return { error: err, logs: logs ?? [], units: unitsConsumed };
    },
    rent: (chainId, bytes, signal) =>
      node(chainId).request(call('getMinimumBalanceForRentExemption', bytes), count, signal),
    recentPriorityFee: (chainId, writable, signal) => readPriorityFee(node(chainId), writable, signal),
  };
}

type HistoryRead =
  'signaturesOf' | 'signaturesOfEach' | 'signaturePages' | 'transactions' | 'eachTransaction' | 'signatureStatuses';

function historyReads(node: NodeOf): Pick<SolanaRpc, HistoryRead | 'finalizedSlot'> {
  return {
    signaturesOf: (chainId, addresses, signal) =>
      node(chainId).requestAll(addresses.map(signaturesCall), seenSignatures, signal),
    signaturesOfEach: (chainId, addresses, signal) =>
      node(chainId).requestEach(addresses.map(signaturesCall), seenSignatures, signal),
    signaturePages: (chainId, pages, signal) => node(chainId).requestEach(pages.map(pageCall), seenSignatures, signal),
    transactions: (chainId, { signatures, commitment }, signal) =>
      node(chainId).requestAll(signatures.map(transactionCall(commitment)), maybeLanded, signal),
    eachTransaction: (chainId, { signatures, commitment }, signal) =>
      node(chainId).requestEach(signatures.map(transactionCall(commitment)), maybeLanded, signal),
    async signatureStatuses(chainId, signatures, signal) {
      const config = { searchTransactionHistory: true };
      const calls = chunksOf(signatures, STATUSES_PER_CALL).map((chunk) => call('getSignatureStatuses', chunk, config));
      const responses = await node(chainId).requestAll(calls, statusesResponse, signal);
      return responses.flatMap(({ value }) => value.map(statusOf));
    },
    finalizedSlot: (chainId, signal) =>
      node(chainId).request(call('getSlot', { commitment: 'finalized' }), count.transform(small), signal),
  };
}

const seenSignatures = signaturesResponse.transform((seen): readonly SeenSignature[] =>
  seen.map(({ signature, slot, err }) => ({ signature, slot, failed: err !== null })),
);
const maybeLanded = transactionResponse.transform((found) => (found === null ? undefined : landedTransaction(found)));
const signaturesCall = (address: string) => call('getSignaturesForAddress', address, CONFIRMED);
const pageCall = ({ address, before, limit, minSlot }: SignaturePage) =>
  call('getSignaturesForAddress', address, { commitment: 'finalized', limit, before, minContextSlot: minSlot });
const transactionCall = (commitment: TransactionsRequest['commitment']) => (signature: string) =>
  call('getTransaction', signature, { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 });

const call = (method: string, ...params: readonly unknown[]) => ({ method, params });
const small = (value: bigint): number => Number.parseInt(value.toString(), 10);

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size);
  return starts.map((start) => items.slice(start, start + size));
}

function addressesOf(account: SolanaAccount | undefined): readonly string[] | undefined {
  if (account === undefined) return undefined;
  try {
    return AddressLookupTableAccount.deserialize(account.data).addresses.map((address) => address.toBase58());
  } catch {
    return undefined; // another kind of account
  }
}

const statusOf = (status: z.output<typeof statusesResponse>['value'][number]): SignatureStatus | undefined =>
  status === null ? undefined : { slot: status.slot, isFinal: status.confirmationStatus === 'finalized' };
