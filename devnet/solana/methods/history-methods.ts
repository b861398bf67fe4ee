import { VersionedTransaction } from '@solana/web3.js';
import { z } from 'zod';
import { base58 } from '../base58';
import type { TransactionRecord } from '../ledger';
import { invalidParams, RpcError } from '../rpc-error';
import {
  addressParameter,
  type Commitment,
  commitment,
  encodingOf,
  isAtLeast,
  levelOf,
  type Methods,
  type Node,
  parameter,
  withContext,
} from './method';

const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1000;

const pageConfig = z
  .looseObject({
    commitment,
    limit: z.int().min(1).max(MAX_SIGNATURES).default(MAX_SIGNATURES),
    before: z.string().optional(),
    until: z.string().optional(),
  })
  .prefault({});
const transactionConfig = z
  .looseObject({ commitment, encoding: encodingOf.default('json'), maxSupportedTransactionVersion: z.int().optional() })
  .prefault({});

/** Methods that read past transactions. */
export function historyMethods(node: Node): Methods {
  const { bank } = node;
  return {
    getSignatureStatuses([signatures]) {
      const wanted = parameter(z.array(z.string()), signatures);
      if (wanted.length > MAX_STATUSES) throw invalidParams(`Too many inputs provided; max ${MAX_STATUSES}`);
      return withContext(
        node,
        wanted.map((signature) => statusOf(node, bank.ledger.find(signature))),
      );
    },
    getSignaturesForAddress([address, config]) {
      const options = parameter(pageConfig, config);
      const records = bank.ledger.of(addressParameter(address));
      return page(visible(node, records, options.commitment), options).map((record) => signatureInfo(node, record));
    },
    getTransaction([signature, config]) {
      const options = parameter(transactionConfig, typeof config === 'string' ? { encoding: config } : config);
      const record = bank.ledger.find(parameter(z.string(), signature));
      const [found] = visible(node, record === undefined ? [] : [record], options.commitment);
      return found === undefined ? null : transactionView(found, options);
    },
  };
}

/** @throws RpcError for `processed`, which the index does not follow */
function visible(node: Node, records: readonly TransactionRecord[], wanted: Commitment): readonly TransactionRecord[] {
  if (wanted === 'processed') throw invalidParams('Method does not support commitment below `confirmed`');
  return records.filter((record) => isAtLeast(levelOf(node, record), wanted));
}

function statusOf(node: Node, record: TransactionRecord | undefined): object | null {
  if (record === undefined) return null;
  const { slot, error } = record;
  const confirmationStatus = levelOf(node, record);
  return {
    slot,
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    confirmationStatus,
    confirmations: confirmationStatus === 'finalized' ? null : node.bank.now() - slot,
  };
}

function page(
  records: readonly TransactionRecord[],
  { before, until, limit }: z.infer<typeof pageConfig>,
): readonly TransactionRecord[] {
  const indexOf = (signature: string | undefined): number =>
    signature === undefined ? -1 : records.findIndex((record) => record.signature === signature);
  const end = indexOf(until);
  const wanted = records.slice(indexOf(before) + 1, end < 0 ? undefined : end);
  return wanted.slice(0, limit);
}

const signatureInfo = (node: Node, record: TransactionRecord): object => {
  const { signature, slot, error: err, memo, blockTime } = record;
  return { signature, slot, err, memo, blockTime, confirmationStatus: levelOf(node, record) };
};

function transactionView(
  record: TransactionRecord,
  { encoding, maxSupportedTransactionVersion }: z.infer<typeof transactionConfig>,
): object {
  const { slot, blockTime, raw } = record;
  const transaction = VersionedTransaction.deserialize(Buffer.from(raw, 'base64'));
  if (transaction.version !== 'legacy' && maxSupportedTransactionVersion === undefined) {
    const advice =
      'Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0';
    throw new RpcError(-32015, `Transaction version (0) is not supported by the requesting client. ${advice}`);
  }
  const version = maxSupportedTransactionVersion === undefined ? {} : { version: transaction.version };
  return { slot, blockTime, meta: metaOf(record), transaction: encoded(transaction, record, encoding), ...version };
}

function encoded(transaction: VersionedTransaction, { raw }: TransactionRecord, encoding: string): unknown {
  if (encoding === 'base64') return [raw, 'base64'];
  if (encoding === 'base58') return [base58(Buffer.from(raw, 'base64')), 'base58'];
  const { message, signatures } = transaction;
  const lookups = message.addressTableLookups.map(({ accountKey, writableIndexes, readonlyIndexes }) => ({
    accountKey: accountKey.toBase58(),
    writableIndexes,
    readonlyIndexes,
  }));
  return {
    signatures: signatures.map(base58),
    message: {
      header: message.header,
      recentBlockhash: message.recentBlockhash,
      accountKeys: message.staticAccountKeys.map((key) => key.toBase58()),
      instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
        programIdIndex,
        accounts: accountKeyIndexes,
        data: base58(data),
        stackHeight: null,
      })),
      ...(transaction.version === 'legacy' ? {} : { addressTableLookups: lookups }),
    },
  };
}

function metaOf(record: TransactionRecord): object {
  const { error, before, after } = record;
  const total = (lamports: readonly string[]): bigint => lamports.reduce((sum, each) => sum + BigInt(each), 0n);
  return {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    // Fees are credited to no account: the difference of the balances is the fee.
    fee: small(total(before) - total(after)),
    preBalances: before.map((each) => small(BigInt(each))),
    postBalances: after.map((each) => small(BigInt(each))),
    preTokenBalances: record.tokensBefore,
    postTokenBalances: record.tokensAfter,
    innerInstructions: record.inner,
    logMessages: record.logs,
    loadedAddresses: record.loaded,
    rewards: [],
    computeUnitsConsumed: small(BigInt(record.units)),
    ...(record.returnData === null ? {} : { returnData: record.returnData }),
  };
}

const small = (value: bigint): number => Number.parseInt(value.toString(), 10);
