import {
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { z } from 'zod';
import { base58, fromBase58 } from '../base58';
import { faucetKey } from '../genesis';
import type { Outcome } from '../machine';
import { invalidParams, RpcError } from '../rpc-error';
import { BLOCKHASH_LIFETIME } from '../slot-clock';
import { describeTransactionError, type TransactionError } from '../transaction-error';
import { accountView, addressParameter, encodingOf, type Methods, type Node, parameter, withContext } from './method';

const MAX_BYTES = 1232;
const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

const sendConfig = z
  .looseObject({ encoding: z.enum(['base58', 'base64']).default('base58'), skipPreflight: z.boolean().default(false) })
  .prefault({});
const simulateConfig = z
  .looseObject({
    encoding: z.enum(['base58', 'base64']).default('base58'),
    sigVerify: z.boolean().default(false),
    replaceRecentBlockhash: z.boolean().default(false),
    innerInstructions: z.boolean().default(false),
    accounts: z.object({ addresses: z.array(z.unknown()), encoding: encodingOf.default('base64') }).optional(),
  })
  .prefault({});
type SimulateConfig = z.infer<typeof simulateConfig>;

/** What changes the chain, or tries how it would. */
export function transactionMethods(node: Node): Methods {
  let airdrops = 0;
  return {
    sendTransaction([text, config]) {
      const { encoding, skipPreflight } = parameter(sendConfig, config);
      const transaction = decoded(parameter(z.string(), text), encoding);
      return send(node, transaction, { skipPreflight });
    },
    simulateTransaction([text, config]) {
      const options = parameter(simulateConfig, config);
      if (options.sigVerify && options.replaceRecentBlockhash) {
        throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
      }
      return withContext(node, simulate(node, decoded(parameter(z.string(), text), options.encoding), options));
    },
    requestAirdrop([address, lamports]) {
      airdrops += 1;
      const to = new PublicKey(addressParameter(address));
      const transaction = airdrop(node, { to, lamports: parameter(z.int().positive(), lamports), number: airdrops });
      return send(node, transaction, { skipPreflight: false });
    },
  };
}

function decoded(text: string, encoding: 'base58' | 'base64'): VersionedTransaction {
  const bytes = bytesOf(text, encoding);
  if (bytes.length > MAX_BYTES) {
    const limits = `max: encoded/raw ${encoding === 'base64' ? 1644 : 1683}/${MAX_BYTES}`;
    const what = `${encoding} encoded solana_transaction::versioned::VersionedTransaction`;
    throw invalidParams(`${what} too large: ${text.length} bytes (${limits})`);
  }
  try {
    return VersionedTransaction.deserialize(bytes);
  } catch {
    throw invalidParams('failed to deserialize solana_transaction::versioned::VersionedTransaction');
  }
}

function bytesOf(text: string, encoding: 'base58' | 'base64'): Buffer {
  if (encoding === 'base64') return Buffer.from(text, 'base64');
  if (text.length > 2 * MAX_BYTES) throw invalidParams('base58 encoded transaction too large');
  try {
    return fromBase58(text);
  } catch {
    throw invalidParams('invalid base58 encoding');
  }
}

/** Why a transaction is not run at all. */
function refusal({ bank }: Node, transaction: VersionedTransaction): TransactionError | null {
  if (bank.ledger.find(signatureOf(transaction)) !== undefined) return 'AlreadyProcessed';
  return bank.clock.slotOf(transaction.message.recentBlockhash) === undefined ? 'BlockhashNotFound' : null;
}

const signatureOf = ({ signatures }: VersionedTransaction): string => base58(signatures[0] ?? new Uint8Array());

/** The signature. Without preflight a transaction that fails before it runs is dropped in silence, as nodes do. */
function send(node: Node, transaction: VersionedTransaction, { skipPreflight }: { skipPreflight: boolean }): string {
  const { bank } = node;
  bank.now();
  const refused = refusal(node, transaction);
  if (!skipPreflight) preflight(node, transaction, refused);
  if (refused === null) bank.process(transaction.serialize());
  return signatureOf(transaction);
}

const PREFLIGHT_FAILURE = -32002;
const SIGNATURE_FAILURE = -32003;

function preflight({ bank }: Node, transaction: VersionedTransaction, refused: TransactionError | null): void {
  const outcome =
    refused === null ? bank.machine.simulate(transaction.serialize(), { verifySignatures: true }) : undefined;
  const error = refused ?? outcome?.error ?? null;
  if (error === null) return;
  if (error === 'SignatureFailure') {
    throw new RpcError(SIGNATURE_FAILURE, 'Transaction signature verification failure');
  }
  throw new RpcError(PREFLIGHT_FAILURE, `Transaction simulation failed: ${describeTransactionError(error)}`, {
    err: error,
    accounts: null,
    innerInstructions: null,
    replacementBlockhash: null,
    ...reportOf(outcome),
  });
}

const reportOf = (outcome: Outcome | undefined) => ({
  logs: outcome?.logs ?? [],
  unitsConsumed: Number.parseInt((outcome?.units ?? 0n).toString(), 10),
  returnData: outcome?.returnData ?? null,
});

function simulate(node: Node, transaction: VersionedTransaction, config: SimulateConfig): object {
  const { bank } = node;
  const slot = bank.now();
  const { sigVerify, replaceRecentBlockhash } = config;
  const expired = bank.clock.slotOf(transaction.message.recentBlockhash) === undefined && !replaceRecentBlockhash;
  const outcome = expired ? undefined : bank.machine.simulate(transaction.serialize(), { verifySignatures: sigVerify });
  const blockhash = {
    blockhash: bank.clock.blockhash(slot),
    lastValidBlockHeight: bank.clock.blockHeight(slot) + BLOCKHASH_LIFETIME,
  };
  return {
    err: expired ? 'BlockhashNotFound' : (outcome?.error ?? null),
    ...reportOf(outcome),
    innerInstructions: config.innerInstructions ? (outcome?.inner ?? []) : null,
    accounts: accountsAfter(node, outcome, config),
    ...(replaceRecentBlockhash ? { replacementBlockhash: blockhash } : {}),
  };
}

function accountsAfter(node: Node, outcome: Outcome | undefined, { accounts }: SimulateConfig): unknown {
  if (accounts === undefined) return null;
  const { addresses, encoding } = accounts;
  return addresses.map((given) => {
    const address = addressParameter(given);
    if (outcome === undefined || outcome.error !== null) return null;
    const state = outcome.after.get(address) ?? node.bank.machine.account(address);
    return accountView(node, state, { encoding, commitment: 'processed' });
  });
}

interface Airdrop {
  readonly to: PublicKey;
  readonly lamports: number;
  /** Makes two equal airdrops of one slot distinct. */
  readonly number: number;
}

function airdrop({ bank }: Node, { to, lamports, number }: Airdrop): VersionedTransaction {
  const faucet = faucetKey();
  const message = new TransactionMessage({
    payerKey: faucet.publicKey,
    recentBlockhash: bank.clock.blockhash(bank.now()),
    instructions: [
      SystemProgram.transfer({ fromPubkey: faucet.publicKey, toPubkey: to, lamports }),
      new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from(`airdrop ${number}`) }),
    ],
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  transaction.sign([faucet]);
  return transaction;
}
