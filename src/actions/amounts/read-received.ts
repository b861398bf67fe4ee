import type { Address, PublicClient, TransactionReceipt } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { amountReceived, type TransactionEffects, type TokenOfOwner } from './moved-amounts';

/** Effects of a transaction in a block. */
export interface MinedTransaction extends TransactionEffects {
  readonly blockNumber: bigint;
}

/** Completes a receipt with the value of its transaction. */
export async function readMined(client: PublicClient, receipt: TransactionReceipt): Promise<MinedTransaction> {
  const { value } = await client.getTransaction({ hash: receipt.transactionHash });
  return { to: receipt.to, value, logs: receipt.logs, blockNumber: receipt.blockNumber };
}

/**
 * Base units that a mined transaction moved to the owner; `undefined` when it moved none, or the chain cannot show it.
 *
 * The native coin emits no events. The amount that other events suggest must show in the owner's balance after the block;
 * without such events the growth of the balance is the amount. When the node has pruned the balances, the events decide.
 */
export async function readReceived(
  client: PublicClient,
  mined: MinedTransaction,
  holding: TokenOfOwner,
): Promise<bigint | undefined> {
  const fromEvents = amountReceived(mined, holding);
  if (!isNativeToken(holding.token)) return fromEvents;
  const owner = holding.owner as Address;
  const growth = await readGrowth(client, owner, mined.blockNumber);
  if (growth === undefined) return fromEvents;
  if (growth > 0n) return fromEvents ?? growth;
  return (await hasSent(client, owner, mined.blockNumber)) ? fromEvents : undefined;
}

/** Growth of an account's native balance in a block, in wei; `undefined` when the node has pruned the state. */
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

/** True when the account sent a transaction in the block: its balance then also contains gas fees. */
async function hasSent(client: PublicClient, address: Address, block: bigint): Promise<boolean> {
  const blocks = [block - 1n, block];
  const counts = blocks.map((blockNumber) => client.getTransactionCount({ address, blockNumber }));
  const [before, after] = await Promise.all(counts);
  return before !== after;
}
