import type { CustomerId } from '../auth/principal';
import type { Transaction } from '../persistence/database';
import type { QuoteRequest, ProviderQuote, UnsignedCall } from '../quotes/quote-provider';
import type { StoredFeeLine } from '../quotes/find-quote';
import { actionIdOf } from './action-id';
import type { ActionFees, ActionPlan, ActionStarter } from './action-plan';
import type { ExecutableSwap } from './executable-swap';
import { tagCall } from './tag-call';

export interface ActionDeps extends ActionStarter {
  /** How long after the quote's deadline an action of which nothing was seen is given up. */
  readonly actionExpirySeconds: number;
}

export interface SwapOrder {
  readonly customerId: CustomerId;
  readonly quoteId: string;
  readonly request: QuoteRequest;
  readonly offer: ProviderQuote;
  readonly deadline: Date;
  readonly sender: string;
  readonly recipient: string;
  readonly webhookUrl: string | undefined;
  readonly amountInUsd: number | undefined;
  readonly amountOutUsd: number | undefined;
  readonly feeLines: readonly StoredFeeLine[];
}

/** An action, and the calls that execute it in sending order. */
export interface StartedSwap {
  readonly actionId: string;
  readonly approvals: readonly UnsignedCall[];
  readonly swap: UnsignedCall;
}

/**
 * Creates the action of a quote, or finds it, and makes its calls known to the trackers.
 *
 * The action has one step, the swap. Approvals are legs of that step, not steps of their own: one may be mined long
 * before, or serve several actions, and moves no money.
 */
export async function startSwapAction(
  { deps, tx }: { readonly deps: ActionDeps; readonly tx: Transaction },
  order: SwapOrder,
  executable: Pick<ExecutableSwap, 'approvals' | 'swap'>,
): Promise<StartedSwap> {
  const actionId = actionIdOf(order.quoteId);
  const swap = tagCall(executable.swap, actionId);
  const { approvals } = executable;
  const calls = [...approvals, swap].map(({ chainId, from, to, data, value }) => ({
    ...{ stepIndex: 0, form: 'CALL' as const, chainId, sender: from, target: to, data, value },
  }));
  await deps.startAction(tx, { ...newAction(order, deps.actionExpirySeconds), id: actionId, calls });
  return { actionId, approvals, swap };
}

function newAction(order: SwapOrder, expirySeconds: number): Omit<ActionPlan, 'id' | 'calls'> {
  const { customerId, quoteId, request, offer, deadline, sender, recipient, webhookUrl } = order;
  const chainId = request.origin.chainId;
  return {
    ...{ customerId, quoteId, type: 'SAMECHAIN_SWAP', provider: offer.provider, webhookUrl },
    ...{ originAddress: sender, receiverAddress: recipient, chainIdIn: chainId, chainIdOut: chainId },
    ...{ refundAddress: request.refundAddress, tokenIn: request.tokenIn, tokenOut: request.tokenOut },
    ...{ amountIn: offer.amountIn, amountOut: offer.expectedAmountOut, minAmountOut: offer.minAmountOut },
    ...{ amountInUsd: plausible(order.amountInUsd), amountOutUsd: plausible(order.amountOutUsd) },
    fees: actionFees(order.feeLines),
    expiresAt: new Date(deadline.getTime() + expirySeconds * 1000),
    steps: [{ kind: 'SWAP', operator: 'USER', protocol: offer.provider, chainId }],
    delivery: undefined,
  };
}

/** What was known of the costs when the quote was made, in US dollars. A cost without a price adds nothing. */
function actionFees(lines: readonly StoredFeeLine[]): ActionFees {
  const known = lines.map(({ amountInUSD }) => plausible(amountInUSD) ?? 0);
  const breakdown = lines.map(({ kind, symbol, amountRaw }, index) => ({
    ...{ type: kind, amount: (known[index] ?? 0).toFixed(6), currency: 'USD', token: symbol, tokenAmount: amountRaw },
  }));
  const total = known.reduce((sum, amount) => sum + amount, 0);
  return { total: total.toFixed(6), currency: 'USD', breakdown };
}

const MOST_DOLLARS = 1e18;

/** Amounts go up to 2^256, dollars do not: such a sum says nothing, and no column holds it. */
const plausible = (usd: number | undefined): number | undefined =>
  usd === undefined || Math.abs(usd) > MOST_DOLLARS ? undefined : usd;
