import {
  createPublicClient,
  type Hex,
  http,
  parseAbi,
  parseEventLogs,
  type PublicClient,
  TransactionReceiptNotFoundError,
} from 'viem';
import type { CctpDeployment } from '../../../src/chains/chain';
import { isBurnMessage } from './burn-message';
import { isSameAddress } from '../../../src/chains/addresses';

/** A chain whose burns are attested. */
export interface AttestedChainOptions {
  readonly rpcUrl: string;
  /** Blocks on top of a burn after which it is final. */
  readonly confirmations: number;
  /** Chains without the protocol are passed over. */
  readonly cctp?: CctpDeployment | undefined;
}

/** A burn as recorded on its chain. */
export interface SentMessage {
  readonly message: Hex;
  readonly logIndex: number;
  readonly blockNumber: bigint;
}

export interface AttestedChain {
  readonly domain: number;
  readonly fastSource: boolean;
  readonly confirmations: bigint;
  blockNumber(): Promise<bigint>;
  /** Burn messages that a transaction sent, in their order; none when it is not mined. */
  messagesOf(transactionHash: Hex): Promise<readonly SentMessage[]>;
}

const transmitter = parseAbi(['event MessageSent(bytes message)']);

export function openAttestedChain({ rpcUrl, confirmations, cctp }: AttestedChainOptions): AttestedChain | undefined {
  if (cctp === undefined) return undefined;
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });
  return {
    domain: cctp.domain,
    fastSource: cctp.fastSource,
    confirmations: BigInt(confirmations),
    blockNumber: () => client.getBlockNumber({ cacheTime: 0 }),
    messagesOf: async (transactionHash) => {
      const receipt = await receiptOf(client, transactionHash);
      if (receipt?.status !== 'success') return [];
      return parseEventLogs({ abi: transmitter, logs: receipt.logs })
        .filter(({ address, args }) => isSameAddress(address, cctp.messageTransmitter) && isBurnMessage(args.message))
        .map(({ args: { message }, logIndex, blockNumber }) => ({ message, logIndex, blockNumber }));
    },
  };
}

async function receiptOf(client: PublicClient, hash: Hex) {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  }
}
