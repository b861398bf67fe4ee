import type { ChainTable } from '../chains/chain-table';
import type { ActionRow } from './action-row';

/** The chain of an amount or transaction. `explorer` is the URL before `/tx/<hash>`. */
export interface ChainView {
  readonly id: number;
  readonly name: string;
  readonly nativeAssetSymbol: string | null;
  readonly explorer: string | null;
}

export interface TransactionView {
  readonly chain: ChainView;
  readonly txHash: string;
  readonly blockNumber: number | null;
  readonly timestamp: Date | null;
  /** A transaction is final (`SUCCESS`), reverted (`FAILED`), or neither yet (`PENDING`). */
  readonly status: 'SUCCESS' | 'FAILED' | 'PENDING';
}

/** A chain that is no longer configured has only its id. */
export function chainView(chains: ChainTable, chainId: number): ChainView {
  const chain = chains.byId(chainId);
  return {
    id: chainId,
    name: chain?.name ?? String(chainId),
    nativeAssetSymbol: chain?.nativeCurrency.symbol ?? null,
    explorer: chain?.explorer?.url ?? null,
  };
}

/** Explorer page of a transaction; null without a transaction or an explorer. */
export function transactionUrl(chains: ChainTable, chainId: number, txHash: string | null): string | null {
  const explorer = chains.byId(chainId)?.explorer?.url;
  return txHash === null || explorer === undefined ? null : `${explorer.replace(/\/$/, '')}/tx/${txHash}`;
}

/** The transactions of an action that were seen, in the order in which they were mined. */
export function transactionViews(chains: ChainTable, { approvals, steps }: ActionRow): readonly TransactionView[] {
  const seen = [...approvals, ...steps].flatMap(({ chainId, txHash, blockNumber, minedAt, status }) =>
    txHash === null ? [] : [{ chainId, txHash, blockNumber, timestamp: minedAt, status: resultOf(status) }],
  );
  const ordered = seen.toSorted((a, b) => (a.timestamp?.getTime() ?? 0) - (b.timestamp?.getTime() ?? 0));
  return ordered.map(({ chainId, ...transaction }) => ({ chain: chainView(chains, chainId), ...transaction }));
}

function resultOf(stepStatus: string): TransactionView['status'] {
  if (stepStatus === 'CONFIRMED') return 'SUCCESS';
  return stepStatus === 'FAILED' ? 'FAILED' : 'PENDING';
}
