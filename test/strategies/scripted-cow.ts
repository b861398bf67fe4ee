import {
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  maxUint256,
  numberToHex,
  pad,
  type PublicClient,
} from 'viem';
import { createChainTable } from '../../src/chains/chain-table';
import { toMicroUsd } from '../../src/money/usd';
import type { Rpc } from '../../src/rpc/rpc';
import type { ServiceWallet } from '../../src/rpc/service-wallet';
import { COW_SETTLEMENT, SETTLEMENT_ABI } from '../../src/strategies/cow-settlement';
import { orderUidOf } from '../../src/strategies/stocks/cow/cow-order';
import { createCowVenue } from '../../src/strategies/stocks/cow/cow-venue';
import { orderWalletOf } from '../../src/strategies/stocks/order-wallet';
import type { StockOrder } from '../../src/strategies/stocks/stock-order';
import { someChain } from '../actions/sample-transfer';
import { gasPricer } from '../setup/gas';
import { sampleStrategy, WALLET } from './sample-strategy';

const SECRET = 'ab'.repeat(32);
const ACTION = '01935b7e-0000-7000-8000-000000000001';
const { row, underlying } = sampleStrategy('tokenized-stock');

/** An order of 1,000 dollars. */
export const COW_ORDER = {
  actionId: ACTION,
  chainId: 31337,
  owner: WALLET,
  receiver: WALLET,
  orderWallet: orderWalletOf(SECRET, ACTION).address,
  sellToken: underlying.address,
  buyToken: row.market,
  sellAmount: 1_000_000_000n,
  sellMicroUsd: 1_000_000_000n,
  buyAmount: 4_950_000_000_000_000_000n,
  validTo: new Date(1_800_000_000_000),
  fromBlock: 0n,
} as unknown as StockOrder;

/** What the scripted chain states. */
export interface ScriptedCow {
  readonly head: bigint;
  /** Base units of the token sold in the order wallet; null when they cannot be read. */
  readonly balance: bigint | null;
  /** Native coin of the order wallet, in wei. */
  readonly coin?: bigint;
  /** Block of the settlement of the order, which was marked as invalid later. */
  readonly filledAt?: bigint;
  readonly maxFeePerGas?: bigint;
  /** US dollars for the native coin; null for no price. */
  readonly coinPrice?: number | null;
}

/** CoW Protocol on a chain in memory, without transactions of its own. */
export function scriptedCow({
  head,
  balance,
  coin = 0n,
  filledAt,
  maxFeePerGas = 10n ** 9n,
  coinPrice = 3000,
}: ScriptedCow) {
  const sent: string[] = [];
  const queries: string[] = [];
  const transactionHash = pad('0x1', { size: 32 });
  const tradeTopics = { abi: SETTLEMENT_ABI, eventName: 'Trade', args: { owner: COW_ORDER.orderWallet } } as const;
  const client = {
    getBlockNumber: () => Promise.resolve(head),
    getBlock: ({ blockNumber }: { blockNumber: bigint }) => Promise.resolve({ timestamp: blockNumber }),
    getBalance: () => Promise.resolve(coin),
    getTransactionCount: () => Promise.resolve(0),
    estimateGas: () => Promise.resolve(50_000n),
    readContract: ({ functionName }: { functionName: string }) =>
      Promise.resolve(functionName === 'filledAmount' ? maxUint256 : balance),
    getContractEvents: ({ fromBlock, toBlock }: { fromBlock: bigint; toBlock: bigint }) => {
      const isIn = filledAt !== undefined && filledAt >= fromBlock && filledAt <= toBlock;
      return Promise.resolve(isIn ? [{ args: { orderUid: orderUidOf(COW_ORDER) }, transactionHash }] : []);
    },
    request: () => Promise.resolve(filledAt === undefined ? null : receiptOf(filledAt)),
  } as unknown as PublicClient;
  const receiptOf = (block: bigint) => ({
    transactionHash,
    blockHash: transactionHash,
    blockNumber: numberToHex(block),
    status: '0x1',
    logs: [
      {
        address: COW_SETTLEMENT,
        topics: encodeEventTopics(tradeTopics),
        data: encodeAbiParameters(
          getAbiItem({ abi: SETTLEMENT_ABI, name: 'Trade' }).inputs.filter((input) => !('indexed' in input)),
          [
            COW_ORDER.sellToken,
            COW_ORDER.buyToken,
            COW_ORDER.sellAmount,
            COW_ORDER.buyAmount,
            0n,
            orderUidOf(COW_ORDER),
          ],
        ),
      },
    ],
  });
  const rpc = {
    blockNumber: () => Promise.resolve(head),
    request: (_: number, run: (own: PublicClient) => unknown) => Promise.resolve(run(client)),
    multicall: () => Promise.resolve([balance ?? undefined, 0n]),
    feeData: () => Promise.resolve({ maxFeePerGas, maxPriorityFeePerGas: 1n, expectedFeePerGas: maxFeePerGas / 2n }),
    client: () => client,
  } as unknown as Rpc;
  const serviceWallet: ServiceWallet = {
    address: WALLET,
    send: ({ purpose }) => {
      sent.push(purpose);
      return Promise.resolve({ txHash: transactionHash });
    },
    sentFor: () => Promise.resolve({ attempts: 0, call: undefined }),
  };
  const venue = createCowVenue({
    rpc,
    chains: createChainTable([someChain(COW_ORDER.chainId)]),
    book: {
      quote: () => Promise.resolve({ id: undefined, buyAmount: 1n }),
      post: () => Promise.resolve(undefined),
      has: () => Promise.resolve(true),
      settlements: (uid) => {
        queries.push(uid);
        return Promise.resolve([]);
      },
    },
    serviceWallet,
    maxOrderGasUsd: toMicroUsd(10_000_000n),
    priceGas: coinPrice === null ? () => Promise.resolve(undefined) : gasPricer(coinPrice),
    calls: { all: () => Promise.resolve([]), save: () => Promise.resolve(true), gasGiven: () => Promise.resolve(0n) },
    secret: SECRET,
    log: { warn: () => undefined },
  });
  return { venue, sent, queries };
}
