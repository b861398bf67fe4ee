import type { Hash, Log } from 'viem';
import type { BridgedChain } from './bridged-chain';
import { type RelayData, spokePoolAbi } from './spoke-pool';
import { shareRuns } from '../../../src/async/single-flight';

/** A deposit as recorded on its origin chain. */
export interface Deposit {
  readonly relay: RelayData;
  readonly originChainId: number;
  readonly destinationChainId: number;
  /** Seconds from its quote to the deadline of its fill. */
  readonly lifetimeSeconds: number;
  readonly txHash: Hash;
  /** When the ledger first saw it, in milliseconds of this machine's clock. */
  readonly seenAt: number;
}

/**
 * What happened on the SpokePools, read from their events. It keeps nothing that the chains do not: after a restart it
 * reads them from their beginning, and so it does when a chain went back.
 */
export interface Ledger {
  /** Reads what is new on all chains. */
  update(): Promise<void>;
  all(): readonly Deposit[];
  /** The deposits that were neither filled nor paid back. */
  open(): readonly Deposit[];
  /** Transaction that filled the deposit on its destination. */
  fillOf(deposit: Deposit): Hash | undefined;
  /** Transaction that paid the deposit back on its origin. */
  refundOf(deposit: Deposit): Hash | undefined;
}

export const openLedger = (chains: readonly BridgedChain[]): Ledger => {
  const pages = chains.map(openPage);
  const entryOf = (read: (page: Page) => ReadonlyMap<string, Hash>, deposit: Deposit) =>
    pages.map((page) => read(page).get(keyOf(deposit.originChainId, deposit.relay.depositId))).find(isHash);
  const all = () => pages.flatMap((page) => [...page.deposits.values()]);
  const fillOf = (deposit: Deposit) => entryOf((page) => page.fills, deposit);
  const refundOf = (deposit: Deposit) => entryOf((page) => page.refunds, deposit);
  return {
    async update() {
      await Promise.all(pages.map((page) => page.update()));
    },
    all,
    open: () => all().filter((deposit) => fillOf(deposit) === undefined && refundOf(deposit) === undefined),
    fillOf,
    refundOf,
  };
};

const isHash = (hash: Hash | undefined): hash is Hash => hash !== undefined;

const keyOf = (originChainId: number | bigint, depositId: bigint | number): string =>
  `${String(originChainId)} ${String(depositId)}`;

/** The events of one chain. */
interface Page {
  readonly deposits: ReadonlyMap<string, Deposit>;
  readonly fills: ReadonlyMap<string, Hash>;
  readonly refunds: ReadonlyMap<string, Hash>;
  update(): Promise<void>;
}

type SpokePoolLog = Log<bigint, number, false, undefined, true, typeof spokePoolAbi>;

function openPage(chain: BridgedChain): Page {
  const deposits = new Map<string, Deposit>();
  const fills = new Map<string, Hash>();
  const refunds = new Map<string, Hash>();
  let read: { readonly number: bigint; readonly hash: Hash } | undefined;
  const enter = (log: SpokePoolLog): void => {
    if (log.eventName === 'FundsDeposited') {
      const deposit = depositOf(chain.chainId, log);
      deposits.set(keyOf(chain.chainId, deposit.relay.depositId), deposit);
    } else if (log.eventName === 'FilledRelay') {
      fills.set(keyOf(log.args.originChainId, log.args.depositId), log.transactionHash);
    } else if (log.eventName === 'ExecutedRelayerRefundRoot') {
      refunds.set(keyOf(chain.chainId, log.args.leafId), log.transactionHash);
    }
  };
  const readOn = async (): Promise<void> => {
    const { number, hash } = await chain.client.getBlock();
    if (hash === read?.hash) return;
    if (read !== undefined && !(await isStillThere(chain, read))) {
      for (const entries of [deposits, fills, refunds]) entries.clear();
      read = undefined;
    }
    const fromBlock = read === undefined ? 0n : read.number + 1n;
    for (const log of await eventsOf(chain, fromBlock, number)) enter(log);
    read = { number, hash };
  };
  return {
    deposits,
    fills,
    refunds,
    // Concurrent callers share one read.
    update: shareRuns(readOn),
  };
}

async function isStillThere(chain: BridgedChain, { number, hash }: { number: bigint; hash: Hash }): Promise<boolean> {
  const block = await chain.client.getBlock({ blockNumber: number }).catch(() => undefined);
  return block?.hash === hash;
}

async function eventsOf(chain: BridgedChain, fromBlock: bigint, toBlock: bigint): Promise<readonly SpokePoolLog[]> {
  const logs = await chain.client.getContractEvents({
    address: chain.spokePool,
    abi: spokePoolAbi,
    fromBlock,
    toBlock,
    strict: true,
  });
  return logs;
}

function depositOf(originChainId: number, log: SpokePoolLog & { eventName: 'FundsDeposited' }): Deposit {
  return {
    relay: { ...log.args, originChainId: BigInt(originChainId) },
    originChainId,
    destinationChainId: Number.parseInt(String(log.args.destinationChainId), 10),
    lifetimeSeconds: log.args.fillDeadline - log.args.quoteTimestamp,
    txHash: log.transactionHash,
    seenAt: Date.now(),
  };
}
