import type { Address, PublicClient, TransactionReceipt } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { amountReceived, type CarriedOut, type Holding } from './moved-amounts';

/** A mined transaction, as it was carried out. */
export interface MinedTransaction extends CarriedOut {
  readonly blockNumber: bigint;
}

/** What a receipt does not tell of a transaction is asked for. */
export async function readMined(client: PublicClient, receipt: TransactionReceipt): Promise<MinedTransaction> {
  const { value } = await client.getTransaction({ hash: receipt.transactionHash });
  return { to: receipt.to, value, logs: receipt.logs, blockNumber: receipt.blockNumber };
}

/**
 * What a mined transaction brought to the owner, in base units; `undefined` when nothing arrived or nobody can tell.
 *
 * The native coin leaves no events: what they suggest must show in the owner's balance after the block, and where they
 * are silent, the balance alone tells. A node that has forgotten the balances leaves it at the events.
 */
export async function readReceived(
  client: PublicClient,
  mined: MinedTransaction,
  holding: Holding,
): Promise<bigint | undefined> {
  const told = amountReceived(mined, holding);
  if (!isNativeToken(holding.token)) return told;
  const owner = holding.owner as Address;
  const growth = await readGrowth(client, owner, mined.blockNumber);
  if (growth === undefined) return told;
  if (growth > 0n) return told ?? growth;
  return (await hasSent(client, owner, mined.blockNumber)) ? told : undefined;
}

/** By how much an account had more of the native coin after a block than before; `undefined` when the node forgot. */
async function readGrowth(client: PublicClient, address: Address, block: bigint): Promise<bigint | undefined> {
  try {
    const blocks = [block - 1n, block];
    const balances = await Promise.all(blocks.map((blockNumber) => client.getBalance({ address, blockNumber })));
    const [before = 0n, after = 0n] = balances;
    return after - before;
  } catch {
    return undefined;
  }
}

/** True when the account paid for a transaction of its own in the block: then its balance says little. */
async function hasSent(client: PublicClient, address: Address, block: bigint): Promise<boolean> {
  const blocks = [block - 1n, block];
  const counts = blocks.map((blockNumber) => client.getTransactionCount({ address, blockNumber }));
  const [before, after] = await Promise.all(counts);
  return before !== after;
}
