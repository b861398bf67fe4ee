import { type Address, type Hex, keccak256 } from 'viem';
import type { Logger } from 'pino';
import { maxBigInt } from '../money/min-max';
import type {
  ServiceTransactionStore,
  SignedTransaction,
  StoredTransaction,
} from '../persistence/service-transaction-store';
import type { Rpc } from './rpc';
import { requestReceipt } from './search-logs';

interface MinedDeps {
  readonly rpc: Rpc;
  readonly store: Pick<ServiceTransactionStore, 'markMined'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly account: { readonly address: Address };
}

interface MinedQuery {
  readonly chainId: number;
  readonly confirmations?: number | undefined;
  readonly repeatsLost?: boolean | undefined;
}

/**
 * The transaction that used its nonce, or the replacement that was mined. `undefined` when the call may be sent again: it
 * was mined and reverted, or another transaction used its nonce. The first request that observes this still gets the
 * transaction, so that its caller can check whether the call is still needed.
 */
export async function minedTransaction(
  wallet: MinedDeps,
  last: StoredTransaction,
  query: MinedQuery,
): Promise<SignedTransaction | undefined> {
  const { chainId, confirmations } = query;
  const receipt = await receiptOf(wallet, chainId, last);
  if (receipt?.status === 'success') return receipt;
  if (!last.mined) await wallet.store.markMined(last.id);
  if (confirmations === undefined) return last.mined ? undefined : (receipt ?? last);
  const mayRepeat =
    receipt === undefined
      ? await isLost(wallet, last, query)
      : (await finalBlock(wallet, query)) >= receipt.blockNumber;
  return mayRepeat ? undefined : (receipt ?? last);
}

/** Whether a transaction is sent again whose nonce is used, and which has no receipt. */
async function isLost(wallet: MinedDeps, { nonce, txHash }: StoredTransaction, query: MinedQuery): Promise<boolean> {
  const { chainId, repeatsLost = false } = query;
  wallet.log.warn({ chainId, txHash }, 'a transaction of the service has lost its nonce to an unknown transaction');
  return repeatsLost && (await usedNonces(wallet, chainId, await finalBlock(wallet, query))) > nonce;
}

const finalBlock = async ({ rpc }: MinedDeps, { chainId, confirmations = 0 }: MinedQuery): Promise<bigint> =>
  maxBigInt(0n, (await rpc.blockNumber(chainId)) - BigInt(confirmations));

/** Number of nonces that the wallet had used at a block, at the newest one by default. */
export const usedNonces = (
  { rpc, account: { address } }: Pick<MinedDeps, 'rpc' | 'account'>,
  chainId: number,
  blockNumber?: bigint,
): Promise<number> =>
  rpc.request(chainId, (client) =>
    client.getTransactionCount(blockNumber === undefined ? { address } : { address, blockNumber }),
  );

/** The receipt of a transaction, or of the mined one among those that it replaced. */
async function receiptOf({ rpc }: MinedDeps, chainId: number, { raw, replaced }: StoredTransaction) {
  for (const signed of [raw, ...replaced] as Hex[]) {
    const txHash = keccak256(signed);
    const receipt = await requestReceipt(rpc, { chainId, txHash });
    if (receipt !== undefined) return { txHash, raw: signed, status: receipt.status, blockNumber: receipt.blockNumber };
  }
  return undefined;
}
