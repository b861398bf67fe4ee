import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';
import type { RawFields } from '../errors/field-reader';
import { quotedValues } from '../quotes/find-quote';
import { saveQuote, type SavePriceQuotes } from '../quotes/quote-store';
import { type PricedSwap, type QuoteDeps, quoteSwap } from '../quotes/quote-swap';
import { quoteView, type QuoteView } from '../quotes/quote-view';
import { isExecutable } from '../quotes/request/swap-intent';
import { actionIdForQuote } from './action-id';
import type { OpenLimits } from './action-plan';
import { executionRequestHash } from './execution-request-hash';
import type { ExecutableDeps, Executable } from './execution/executable';
import { buildExecutable } from './execution/build-executable';
import { payoutBlindIndex } from './resolve-fiat-terms';
import { type ExecutionView, executionView } from './execution/execution-view';
import { openedResources, type SwapActionDeps, startSwapAction, swapActionType } from './start-swap-action';
import { callItem, solanaItem, type TransactionItem } from './execution/transaction-item';

export interface SwapQuoteDeps extends QuoteDeps, ExecutableDeps, SwapActionDeps, OpenLimits {
  readonly rpc: QuoteDeps['rpc'] & ExecutableDeps['rpc'];
  readonly database: Pick<Database, '$transaction'>;
  readonly savePrices: SavePriceQuotes;
}

export interface RequestSwapQuoteParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

/** The executing transaction. On EVM chains also its approvals, and all transactions in sending order. */
export type QuoteTransactionData = TransactionItem & {
  readonly approvals?: readonly TransactionItem[];
  readonly transactions?: readonly TransactionItem[];
};

/** A quote, with its action and executable when the request named sender and recipient. */
export interface RequestedSwapQuote extends Partial<ExecutionView> {
  readonly quote: QuoteView;
  /** Id of the action. */
  readonly id?: string;
  /** Type of the action. */
  readonly type?: string;
  /** Absent for deposits and payments. */
  readonly transactionData?: QuoteTransactionData;
}

/**
 * The best quote for a request. When the request names sender and recipient, the result contains the quote's action and
 * executable. A transaction that would revert is not returned: the quote's `simulation` has the reason, and the quote has no
 * action.
 *
 * @throws what `quoteSwap` and `buildExecutable` throw; RATE_LIMIT_EXCEEDED when too many are open
 */
export async function requestSwapQuote(
  deps: SwapQuoteDeps,
  { customerId, fields, signal }: RequestSwapQuoteParameters,
): Promise<RequestedSwapQuote> {
  const swap = await quoteSwap(deps, { customerId, fields });
  const { sender, recipient } = partiesOf(swap);
  if (sender === undefined || recipient === undefined) {
    const quote = quoteView(swap);
    await deps.savePrices([{ customerId, swap, view: quote }]);
    return { quote };
  }
  await deps.assertMayOpen(customerId, openedResources(swap.request, { isQuoteOnly: true }));
  const parties = { customerId, actionId: actionIdForQuote(swap.quoteId), sender, recipient };
  const executable = await buildSwapExecutable(deps, swap, { ...parties, signal });
  const view = quoteView(swap, executable);
  if (executable.simulation?.status === 'REVERTED') {
    await deps.savePrices([{ customerId, swap, view }]);
    return { quote: view };
  }
  const started = await saveStarted(deps, { ...parties, swap, view, executable });
  return { quote: view, id: parties.actionId, type: swapActionType(swap.request), ...startedFields(started) };
}

/** The sender, and the recipient: a wallet, or the rail for payouts in fiat. */
function partiesOf({ intent, request: { fiat, destination } }: PricedSwap) {
  const { originAddress: sender, destinationAddress } = intent;
  if (!isExecutable(intent)) return { sender: undefined, recipient: undefined };
  return { sender, recipient: destination.kind === 'fiat' ? fiat?.rail.toLowerCase() : destinationAddress };
}

interface ExecutionParties {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly sender: string;
  readonly recipient: string;
}

function buildSwapExecutable(
  deps: SwapQuoteDeps,
  { quoteId, request, offer, deadline, intent }: PricedSwap,
  parties: ExecutionParties & { readonly signal: AbortSignal },
): Promise<Executable> {
  const { output, accountId, feeSponsorship: sponsored } = intent;
  return buildExecutable(deps, { ...parties, quoteId, request, offer, deadline, output, accountId, sponsored });
}

interface ExecutableQuote extends ExecutionParties {
  readonly swap: PricedSwap;
  readonly view: QuoteView;
  readonly executable: Executable;
}

/** Stores the quote and creates its action in one transaction. */
async function saveStarted(deps: SwapQuoteDeps, quote: ExecutableQuote): Promise<Executable> {
  const { customerId, actionId, swap, view, sender, recipient, executable } = quote;
  const { quoteId, intent, request, offer, deadline } = swap;
  const { thirdParty, output, accountId, webhookUrl, destinationAddress } = intent;
  const { vault } = deps.fiat;
  const payout = payoutBlindIndex(request.fiat?.payout, vault);
  const hash = executionRequestHash({
    originAddress: sender,
    destinationAddress,
    payout,
    thirdParty,
    output,
    accountId,
  });
  return deps.database.$transaction(async (tx) => {
    await saveQuote({ tx, vault }, { customerId, swap, view, bytecodeHash: hash });
    const swapAction = {
      actionId,
      customerId,
      quoteId,
      isQuoteOnly: true,
      request,
      offer,
      deadline,
      sender,
      recipient,
      webhookUrl,
      ...quotedValues(view),
    };
    return startSwapAction({ deps, tx }, swapAction, executable);
  });
}

function startedFields(executable: Executable): Partial<RequestedSwapQuote> {
  const { transactions, ...view } = executionView(executable);
  switch (executable.kind) {
    case 'calls': {
      const approvals = executable.approvals.map(callItem);
      return { ...view, transactionData: { ...callItem(executable.swap), approvals, transactions }, transactions };
    }
    case 'solanaTransaction':
      return { ...view, transactionData: solanaItem(executable), transactions };
    case 'deposit':
    case 'payment':
      return view;
  }
}
