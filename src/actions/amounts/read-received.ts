import type { Address, PublicClient } from 'viem';
import { isNativeToken, isSameAddress } from '../../chains/addresses';
import { minBigInt } from '../../money/min-max';
import type { MinedEffects } from './mined-effects';
import { amountReceived, type TokenOfOwner } from './moved-amounts';
import { readCoinChange } from './read-coin-change';

/**
 * Base units that a mined transaction moved to the owner; `undefined` when it moved none, or the chain cannot show it.
 *
 * The native coin emits no events. The amount that other events suggest must show in the owner's balance after the block;
 * without such events the growth of the balance is the amount. When the node has pruned the balances, the events decide.
 */
export async function readReceived(
  client: PublicClient,
  mined: MinedEffects,
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

/**
 * Base units of the bought token that a swap moved to the owner; `undefined` when it moved none, or the chain cannot show it.
 *
 * The native coin emits no events, and a venue may keep a part of what it unwraps as its fee. Therefore the amount is the
 * growth of the owner's balance, without gas and the value of the owner's own call, and at most the amount of the events.
 *
 * @throws when the chain does not respond.
 */
export async function readBought(
  client: PublicClient,
  mined: MinedEffects,
  holding: TokenOfOwner,
): Promise<bigint | undefined> {
  const fromEvents = amountReceived(mined, holding);
  if (!isNativeToken(holding.token)) return fromEvents;
  const change = await readCoinChange(client, mined, holding.owner);
  if (change === undefined) return fromEvents;
  const growth = change + (isSameAddress(mined.from, holding.owner) ? mined.value : 0n);
  if (growth <= 0n) return fromEvents;
  return fromEvents === undefined ? growth : minBigInt(fromEvents, growth);
}
