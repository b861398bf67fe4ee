import type { PublicClient } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { minBigInt } from '../../money/min-max';
import type { MinedEffects } from './mined-effects';
import { amountSpent, amountWrapped, type TokenOfOwner } from './moved-amounts';
import { readCoinChange, readIncome } from './read-coin-change';

/** The token that an action sells. */
interface SoldToken extends TokenOfOwner {
  /** Quoted amount, in base units. */
  readonly quoted: bigint;
}

/**
 * Base units that a mined transaction took from the owner; `undefined` when it took none.
 *
 * The native coin emits no events: the amount is what the owner's balance lost, without gas and the payments of others, and at
 * most the value of the call. Where the balance does not show it, the quoted amount counts if the whole value was quoted, else
 * the events.
 *
 * @throws when the chain does not respond.
 */
export async function readSpent(
  client: PublicClient,
  mined: MinedEffects,
  sold: SoldToken,
): Promise<bigint | undefined> {
  const fromEvents = amountSpent(mined, sold);
  if (!isNativeToken(sold.token)) return fromEvents;
  const lost = (await readLost(client, mined, sold.owner)) ?? 0n;
  // A loss below the wrapped amount: the owner also received coin in the block from contracts.
  if (lost > 0n && lost >= (amountWrapped(mined, sold) ?? 0n)) return lost;
  return mined.value === sold.quoted ? sold.quoted : fromEvents;
}

/** Native coin that the owner lost, at most the value of the call, in wei; `undefined` when the balance does not show it. */
async function readLost(client: PublicClient, mined: MinedEffects, owner: string): Promise<bigint | undefined> {
  const change = await readCoinChange(client, mined, owner);
  if (change === undefined || mined.value === 0n) return undefined;
  if (-change >= mined.value) return mined.value;
  const income = await readIncome(client, mined, owner);
  return income === undefined ? undefined : minBigInt(income - change, mined.value);
}
