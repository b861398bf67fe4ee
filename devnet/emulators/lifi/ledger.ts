import { type Address, encodePacked, type Hash, type Hex, keccak256, type Log } from 'viem';
import type { BridgedChain } from './bridged-chain';
import { diamondAbi } from './diamond';
import { shareRuns } from '../../../src/async/single-flight';

/** A transfer to another chain as recorded on its origin. */
export interface Transfer {
  /** Id that links the transfer to its payment. */
  readonly id: Hex;
  readonly originChainId: number;
  readonly txHash: Hash;
  readonly transactionId: Hex;
  readonly sender: Address;
  readonly receiver: Address;
  readonly bridgedToken: Address;
  readonly bridgedAmount: bigint;
  readonly destinationChainId: number;
  readonly tokenOut: Address;
  readonly relayFee: bigint;
  /** When the ledger first saw it, in milliseconds of this machine's clock. */
  readonly seenAt: number;
}

/** What the relayer paid for a transfer: on the destination, or back on the origin. */
export interface Payout {
  readonly chainId: number;
  readonly txHash: Hash;
  readonly token: Address;
  readonly amount: bigint;
}

/** A swap within one chain. */
export interface CompletedSwap {
  readonly chainId: number;
  readonly txHash: Hash;
  readonly transactionId: Hex;
  readonly receiver: Address;
  readonly tokenOut: Address;
  readonly amountOut: bigint;
}

/**
 * What happened on the contracts, read from their events. It keeps nothing that the chains do not: after a restart it
 * reads them from their beginning, and so it does when a chain went back.
 */
export interface Ledger {
  /** Reads what is new on all chains. */
  update(): Promise<void>;
  transfers(): readonly Transfer[];
  swaps(): readonly CompletedSwap[];
  payoutOf(transfer: Transfer): Payout | undefined;
}

export function openLedger(chains: readonly BridgedChain[]): Ledger {
  const pages = chains.map(openPage);
  return {
    // The relayer and status requests share one read: two at once would both start where the last one ended.
    update: shareRuns(async () => {
      await Promise.all(pages.map((page) => page.update()));
    }),
    transfers: () => pages.flatMap((page) => [...page.transfers.values()]),
    swaps: () => pages.flatMap((page) => page.swaps),
    payoutOf: ({ id }) => pages.map((page) => page.payouts.get(id)).find((payout) => payout !== undefined),
  };
}

/** The events of one chain. */
interface Page {
  readonly transfers: Map<string, Transfer>;
  readonly payouts: Map<string, Payout>;
  swaps: CompletedSwap[];
  update(): Promise<void>;
}

type DiamondLog = Log<bigint, number, false, undefined, true, typeof diamondAbi>;

function openPage({ client, chainId, diamond }: BridgedChain): Page {
  let read: { readonly number: bigint; readonly hash: Hash } | undefined;
  const page: Page = {
    transfers: new Map(),
    payouts: new Map(),
    swaps: [],
    async update() {
      const head = await client.getBlock();
      if (read !== undefined && (await isGone(read, head.number))) {
        read = undefined;
        page.transfers.clear();
        page.payouts.clear();
        page.swaps = [];
      }
      if (read?.number === head.number) return;
      const fromBlock = read === undefined ? 0n : read.number + 1n;
      const range = { address: diamond, fromBlock, toBlock: head.number };
      const logs = await client.getLogs({ ...range, events: diamondEvents, strict: true });
      for (const log of logs) enter(page, chainId, log);
      read = { number: head.number, hash: head.hash };
    },
  };
  const isGone = async (last: { number: bigint; hash: Hash }, head: bigint): Promise<boolean> =>
    head < last.number || (await client.getBlock({ blockNumber: last.number })).hash !== last.hash;
  return page;
}

const diamondEvents = diamondAbi.filter((item) => item.type === 'event');

function enter(page: Page, chainId: number, log: DiamondLog): void {
  const { transactionHash: txHash, logIndex, args, eventName } = log;
  if (eventName === 'TransferStarted') {
    const { bridge, transactionId, sender, receiver, bridgedToken, bridgedAmount } = args;
    const place = encodePacked(['uint256', 'bytes32', 'uint256'], [BigInt(chainId), txHash, BigInt(logIndex)]);
    const id = keccak256(place);
    page.transfers.set(id, {
      id,
      txHash,
      originChainId: chainId,
      seenAt: Date.now(),
      transactionId,
      sender,
      receiver,
      bridgedToken,
      bridgedAmount,
      destinationChainId: Number.parseInt(bridge.destinationChainId.toString(), 10),
      tokenOut: bridge.tokenOut,
      relayFee: bridge.relayFee,
    });
  } else if (eventName === 'TransferCompleted') {
    page.payouts.set(args.transferId, { chainId, txHash, token: args.token, amount: args.amount });
  } else {
    page.swaps.push({ chainId, txHash, ...args });
  }
}
