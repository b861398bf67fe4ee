import { type Hex, numberToHex, zeroAddress, zeroHash } from 'viem';

export interface ReceiptFields {
  readonly hash: Hex;
  readonly status: 'success' | 'reverted';
  readonly blockNumber?: bigint;
  readonly logs: readonly ReceiptLog[];
}

export interface ReceiptLog {
  readonly address: string;
  readonly topics: readonly unknown[];
  readonly data: Hex;
}

/** The result of `eth_getTransactionReceipt` as a node sends it. */
export const receiptResponse = ({ hash, status, blockNumber = 1n, logs }: ReceiptFields) => {
  const position = {
    transactionHash: hash,
    transactionIndex: '0x0',
    blockHash: zeroHash,
    blockNumber: numberToHex(blockNumber),
  };
  return {
    ...position,
    status: status === 'success' ? '0x1' : '0x0',
    type: '0x2',
    from: zeroAddress,
    to: zeroAddress,
    contractAddress: null,
    gasUsed: '0x5208',
    cumulativeGasUsed: '0x5208',
    effectiveGasPrice: '0x1',
    logsBloom: '0x',
    logs: logs.map((log, index) => ({ ...log, ...position, logIndex: numberToHex(index), removed: false })),
  };
};
