import { type Hex, toEventSelector } from 'viem';

/**
 * How an account that is a contract made a transfer:
 *
 * - `safe`: a Safe executed a transaction of its owners.
 * - `safeBatch`: the same, of several calls (`multiSend`).
 * - `safeModule`: a module of a Safe made it.
 * - `userOperation`: an EntryPoint executed a user operation of the account.
 */
export type OperationKind = 'safe' | 'safeBatch' | 'safeModule' | 'userOperation';

/** The end of an operation, as an event states it. Hashes and addresses are in lower case. */
export interface AccountOperation {
  readonly blockHash: string;
  readonly txHash: string;
  readonly logIndex: number;
  readonly kind: OperationKind;
  /** The account whose operation it is. */
  readonly account: string;
  /** Hash of the Safe transaction or user operation; `undefined` for a module. */
  readonly hash: string | undefined;
  /** The contract that emitted the event: the Safe or the EntryPoint. */
  readonly contract: string;
}

/** A Safe began a batch. Only Safes for L2 chains emit this event. */
export type BatchStart = Pick<AccountOperation, 'blockHash' | 'txHash' | 'logIndex' | 'account'>;

/** The hash is indexed since version 1.4.1 and part of the data before. */
const SAFE_ENDS: readonly Hex[] = [
  toEventSelector('ExecutionSuccess(bytes32,uint256)'),
  // The calls of the Safe reverted; the payment for its gas did not.
  toEventSelector('ExecutionFailure(bytes32,uint256)'),
];
const MODULE_END = toEventSelector('ExecutionFromModuleSuccess(address)');
const BATCH_START = toEventSelector(
  'SafeMultiSigTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes,bytes)',
);
/** The same in all versions of the EntryPoint. */
const USER_OPERATION_END = toEventSelector('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');

/** First topics of the events of Safes, and of user operations, whose second argument is their account. */
export const SAFE_TOPICS = [...SAFE_ENDS, MODULE_END, BATCH_START];
export const USER_OPERATION_TOPIC = USER_OPERATION_END;

interface OperationLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly logIndex: string;
}

const placeOf = (log: OperationLog) => ({
  blockHash: log.blockHash.toLowerCase(),
  txHash: log.transactionHash.toLowerCase(),
  logIndex: Number.parseInt(log.logIndex, 16),
});

/** The end of an operation; `undefined` for any other event, and for one of another shape. */
export function operationOf(log: OperationLog): AccountOperation | undefined {
  const [topic = '', first, second] = log.topics.map((each) => each.toLowerCase());
  const contract = log.address.toLowerCase();
  const place = { ...placeOf(log), contract };
  if (topic === USER_OPERATION_END) {
    if (first === undefined || second === undefined) return undefined;
    return { ...place, kind: 'userOperation', account: `0x${second.slice(26)}`, hash: first };
  }
  if (topic === MODULE_END) return { ...place, kind: 'safeModule', account: contract, hash: undefined };
  if (!SAFE_ENDS.some((end) => end === topic)) return undefined;
  const hash = first ?? (log.data.length >= 66 ? log.data.slice(0, 66).toLowerCase() : undefined);
  return hash === undefined ? undefined : { ...place, kind: 'safe', account: contract, hash };
}

/** The begin of a batch; `undefined` for any other event. */
export function batchStartOf(log: OperationLog): BatchStart | undefined {
  if (log.topics[0]?.toLowerCase() !== BATCH_START || !isBatch(log.data.slice(2))) return undefined;
  return { ...placeOf(log), account: log.address.toLowerCase() };
}

/** Selector of `execTransaction` of a Safe, and of `multiSend(bytes)`. */
const [EXECUTION, BATCH] = ['0x6a761202', '8d80ff0a'];
const WORD = 64;

/** True for the calldata of a transaction with which a Safe for the main network makes several calls. */
export const isBatchExecution = (input: unknown): boolean =>
  typeof input === 'string' && input.startsWith(EXECUTION) && isBatch(input.slice(EXECUTION.length));

/** The arguments, in hexadecimal, begin with the target, the value, the place of the calldata and the kind of call. */
function isBatch(parameters: string): boolean {
  const [offset, operation] = [wordAt(parameters, 2 * WORD), wordAt(parameters, 3 * WORD)];
  if (operation !== 1 || offset === undefined) return false;
  const start = 2 * offset + WORD;
  return parameters.slice(start, start + BATCH.length).toLowerCase() === BATCH;
}

const wordAt = (text: string, start: number): number | undefined => {
  const word = text.slice(start, start + WORD);
  return /^0{54}[0-9a-f]{10}$/i.test(word) ? Number.parseInt(word, 16) : undefined;
};

/** Identifies a transaction with which a Safe makes several calls. */
export const batchKey = (txHash: string, safe: string): string => `${txHash} ${safe}`;
