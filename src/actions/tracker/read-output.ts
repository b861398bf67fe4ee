import type { PublicClient } from 'viem';
import { claimedReward, type QuotedClaim } from '../amounts/claimed-rewards';
import type { MinedEffects } from '../amounts/mined-effects';
import { readBought } from '../amounts/read-received';
import { requestedAmount } from '../amounts/requested-amount';
import { bringsOutput } from './moved-tokens';
import type { SubmittedStep } from './submitted-steps';

interface ReadOutputOptions {
  readonly wrappedNative: string | undefined;
  /** All claims of the same reward in the transaction, in the order of their calls; the step's own by default. */
  readonly claims?: readonly QuotedClaim[] | undefined;
}

/**
 * Base units of the token that the action buys, as far as the step brought them; `undefined` when it brought none, or the chain
 * cannot show it. Those of a claim are what the called contract paid, those of a request what the called vault has recorded.
 *
 * @throws when the chain does not respond.
 */
export async function readOutput(
  client: PublicClient,
  { step, mined }: { readonly step: SubmittedStep; readonly mined: MinedEffects },
  { wrappedNative, claims }: ReadOutputOptions,
): Promise<bigint | undefined> {
  if (!bringsOutput(step)) return undefined;
  const { kind, actionId, action } = step;
  const { tokenOut: token, receiverAddress: owner } = action;
  if (kind === 'REQUEST') return requestedAmount(mined, { controller: owner, quoted: action.amountOut });
  if (kind !== 'CLAIM') return readBought(client, mined, { token, owner, wrappedNative });
  if (mined.to === null) return undefined;
  const own = [{ actionId, quoted: action.amountOut }];
  return claimedReward(mined, { payer: mined.to, wallet: owner, token }, { claims: claims ?? own, actionId });
}
