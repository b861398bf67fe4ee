import type { CustomerId } from '../auth/principal';
import type { BaseUnits } from '../money/base-units';
import type { Transaction } from '../persistence/database';
import type { QuoteRequest, ProviderQuote, UnsignedCall } from '../quotes/quote-provider';
import type { StoredFeeLine } from '../quotes/find-quote';
import type { Token } from '../tokens/token';
import type { ExecutableSwap } from './executable-swap';
import { tagCall } from './tag-call';

/** Amounts in base units of their token; US dollars at the time of the quote. */
interface NewSwapAction {
  readonly customerId: CustomerId;
  readonly quoteId: string;
  readonly type: 'SAMECHAIN_SWAP';
  readonly provider: string;
  readonly originAddress: string;
  readonly receiverAddress: string;
  readonly chainIdIn: number;
  readonly chainIdOut: number;
  readonly tokenIn: Token;
  readonly tokenOut: Token;
  readonly amountIn: BaseUnits;
  readonly amountOut: BaseUnits;
  readonly minAmountOut: BaseUnits;
  readonly amountInUsd: number | undefined;
  readonly amountOutUsd: number | undefined;
  readonly fees: {
    readonly total: string;
    readonly currency: string;
    readonly breakdown: readonly {
      readonly type: string;
      readonly amount: string;
      readonly currency: string;
      readonly token: string;
      readonly tokenAmount: string;
    }[];
  };
  readonly webhookUrl: string | undefined;
  readonly expiresAt: Date;
  readonly steps: readonly {
    readonly kind: 'SWAP';
    readonly operator: 'USER';
    readonly protocol: string;
    readonly chainId: number;
  }[];
}

interface SwapCalls {
  readonly actionId: string;
  readonly customerId: CustomerId;
  readonly calls: readonly {
    readonly stepIndex: number;
    readonly chainId: number;
    readonly sender: string;
    readonly target: string;
    readonly data: UnsignedCall['data'];
    readonly value: bigint;
  }[];
}

export interface ActionDeps {
  /** Creates the action of a quote, or finds it. */
  readonly createAction: (tx: Transaction, action: NewSwapAction) => Promise<{ readonly id: string }>;
  /** Tells the trackers which transactions execute an action. */
  readonly registerCalls: (tx: Transaction, calls: SwapCalls) => Promise<void>;
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
  const { customerId } = order;
  const { id: actionId } = await deps.createAction(tx, newAction(order, deps.actionExpirySeconds));
  const swap = tagCall(executable.swap, actionId);
  const { approvals } = executable;
  const calls = [...approvals, swap].map(({ chainId, from, to, data, value }) => ({
    ...{ stepIndex: 0, chainId, sender: from, target: to, data, value },
  }));
  await deps.registerCalls(tx, { actionId, customerId, calls });
  return { actionId, approvals, swap };
}

function newAction(order: SwapOrder, expirySeconds: number): NewSwapAction {
  const { customerId, quoteId, request, offer, deadline, sender, recipient, webhookUrl } = order;
  const chainId = request.origin.chainId;
  return {
    ...{ customerId, quoteId, type: 'SAMECHAIN_SWAP', provider: offer.provider, webhookUrl },
    ...{ originAddress: sender, receiverAddress: recipient, chainIdIn: chainId, chainIdOut: chainId },
    ...{ tokenIn: request.tokenIn, tokenOut: request.tokenOut },
    ...{ amountIn: offer.amountIn, amountOut: offer.expectedAmountOut, minAmountOut: offer.minAmountOut },
    ...{ amountInUsd: plausible(order.amountInUsd), amountOutUsd: plausible(order.amountOutUsd) },
    fees: actionFees(order.feeLines),
    expiresAt: new Date(deadline.getTime() + expirySeconds * 1000),
    steps: [{ kind: 'SWAP', operator: 'USER', protocol: offer.provider, chainId }],
  };
}

/** What was known of the costs when the quote was made, in US dollars. A cost without a price adds nothing. */
function actionFees(lines: readonly StoredFeeLine[]): NewSwapAction['fees'] {
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
