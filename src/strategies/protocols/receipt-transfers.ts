import { type Address, erc20Abi, type Hex, isAddressEqual, type Log, pad, parseEventLogs } from 'viem';
import { TRANSFER_TOPIC } from '../../tokens/transfer-topic';
import type { LogFilter } from './protocol';

/** A movement of receipt tokens. Minted tokens come from the zero address, burnt ones go to it. */
export interface ReceiptTransfer {
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly logIndex: number;
}

/** An address as a topic. */
export const addressTopic = (address: Address): Hex => pad(address, { size: 32 }).toLowerCase() as Hex;

/**
 * Filters for transfers of a receipt token from and to a wallet. Deposits and withdrawals emit them in every protocol, and
 * their topics are equal for all tokens of a chain.
 */
export const receiptTransferFilters = (receipt: Address, wallet: Address): readonly LogFilter[] => [
  { address: receipt, topics: [TRANSFER_TOPIC, addressTopic(wallet)] },
  { address: receipt, topics: [TRANSFER_TOPIC, null, addressTopic(wallet)] },
];

/** Logs of one contract: any contract may emit the events of another one. */
export const logsOf = (logs: readonly Log[], contract: Address): Log[] =>
  logs.filter(({ address }) => isAddressEqual(address, contract));

/** Transfers of a token among the logs, without those of 0, which any account can make for any other. */
export const transfersOf = (logs: readonly Log[], token: Address): readonly ReceiptTransfer[] =>
  parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: logsOf(logs, token) }).flatMap(({ args, logIndex }) =>
    args.value === 0n ? [] : { from: args.from, to: args.to, amount: args.value, logIndex },
  );

/** Place of a log in its chain. Logs of mined transactions have one. */
export function logPlace(log: Log): { txHash: Hex; blockNumber: bigint; blockHash: Hex; logIndex: number } | undefined {
  const { transactionHash, blockNumber, blockHash, logIndex } = log;
  if (transactionHash === null || blockNumber === null || blockHash === null || logIndex === null) return undefined;
  return { txHash: transactionHash, blockNumber, blockHash, logIndex };
}
