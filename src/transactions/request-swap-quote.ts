import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';
import type { RawFields } from '../errors/field-reader';
import { saveQuote, type SavePrices } from '../quotes/quote-store';
import { type PricedSwap, type QuoteDeps, quoteSwap } from '../quotes/quote-swap';
import { quoteView, type QuoteView } from '../quotes/quote-view';
import { isExecutable } from '../quotes/request/swap-intent';
import { actionIdOf } from './action-id';
import { bytecodeHash } from './bytecode-hash';
import type { ExecutableDeps, ExecutableSwap } from './execution/executable';
import { executableSwap } from './execution/build-executable';
import { payoutIndex } from './resolve-fiat-terms';
import { type ExecutionAnswer, executionAnswer } from './execution/execution-view';
import { type ActionDeps, startSwapAction, swapType } from './start-swap-action';
import { callItem, programItem, type TransactionItem } from './execution/transaction-item';

export interface SwapQuoteDeps extends QuoteDeps, ExecutableDeps, ActionDeps {
  readonly rpc: QuoteDeps['rpc'] & ExecutableDeps['rpc'];
  readonly database: Pick<Database, '$transaction'>;
  readonly savePrices: SavePrices;
}

export interface SwapQuoteParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

/** The executing transaction; of an EVM chain with the approvals before it, and everything in sending order. */
export type QuoteTransactionData = TransactionItem & {
  readonly approvals?: readonly TransactionItem[];
  readonly transactions?: readonly TransactionItem[];
};

/** A quote, and what executes it when the request named both ends. */
export interface SwapQuoteResult extends Partial<ExecutionAnswer> {
  readonly quote: QuoteView;
  /** Id of the action. */
  readonly id?: string;
  /** Type of the action. */
  readonly type?: string;
  /** Absent when there is nothing to sign. */
  readonly transactionData?: QuoteTransactionData;
}

/**
 * The best quote for a request; with both ends, together with its action and what executes it. A transaction that
 * would revert is not handed out: the quote then says why in `simulation`, and has no action.
 *
 * @throws what `quoteSwap` and `executableSwap` throw
 */
export async function requestSwapQuote(
  deps: SwapQuoteDeps,
  { customerId, fields, signal }: SwapQuoteParameters,
): Promise<SwapQuoteResult> {
  const swap = await quoteSwap(deps, { customerId, fields });
  const { sender, recipient } = endsOf(swap);
  if (sender === undefined || recipient === undefined) {
    const quote = quoteView(swap);
    await deps.savePrices([{ customerId, swap, view: quote }]);
    return { quote };
  }
  const parties = { customerId, actionId: actionIdOf(swap.quoteId), sender, recipient };
  const executable = await executableOf(deps, swap, { ...parties, signal });
  const view = quoteView(swap, executable);
  if (executable.simulation?.status === 'REVERTED') {
    await deps.savePrices([{ customerId, swap, view }]);
    return { quote: view };
  }
  const started = await saveStarted(deps, { ...parties, swap, view, executable });
  return { quote: view, id: parties.actionId, type: swapType(swap.request), ...startedFields(started) };
}

/** Who executes, and who receives: a wallet, or the rail when money is paid out of the chains. */
function endsOf({ intent, request: { fiat, destination } }: PricedSwap) {
  const { originAddress: sender, destinationAddress } = intent;
  if (!isExecutable(intent)) return { sender: undefined, recipient: undefined };
  return { sender, recipient: destination.kind === 'fiat' ? fiat?.rail.toLowerCase() : destinationAddress };
}

interface Parties {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly sender: string;
  readonly recipient: string;
}

function executableOf(
  deps: SwapQuoteDeps,
  { quoteId, request, offer, deadline, intent }: PricedSwap,
  parties: Parties & { readonly signal: AbortSignal },
): Promise<ExecutableSwap> {
  const { output, accountId, feeSponsorship: sponsored } = intent;
  return executableSwap(deps, { ...parties, quoteId, request, offer, deadline, output, accountId, sponsored });
}

interface ExecutableQuote extends Parties {
  readonly swap: PricedSwap;
  readonly view: QuoteView;
  readonly executable: ExecutableSwap;
}

/** Quote and action appear together or not at all. */
async function saveStarted(deps: SwapQuoteDeps, quote: ExecutableQuote): Promise<ExecutableSwap> {
  const { customerId, actionId, swap, view, sender, recipient, executable } = quote;
  const { quoteId, intent, request, offer, deadline } = swap;
  const { thirdParty, output, accountId, webhookUrl, destinationAddress } = intent;
  const { vault } = deps.fiat;
  const payout = payoutIndex(request.fiat?.payout, vault);
  const hash = bytecodeHash({
    originAddress: sender,
    destinationAddress,
    payout,
    thirdParty,
    output,
    accountId,
  });
  return deps.database.$transaction(async (tx) => {
    await saveQuote({ tx, vault }, { customerId, swap, view, bytecodeHash: hash });
    const order = {
      actionId,
      customerId,
      quoteId,
      request,
      offer,
      deadline,
      sender,
      recipient,
      webhookUrl,
      amountInUsd: view.tokenIn.amountInUSD,
      amountOutUsd: view.tokenOut.amountInUSD,
      feeLines: view.feeBreakdown.lines,
    };
    return startSwapAction({ deps, tx }, order, executable);
  });
}

function startedFields(executable: ExecutableSwap): Partial<SwapQuoteResult> {
  const { transactions, ...answer } = executionAnswer(executable);
  switch (executable.kind) {
    case 'calls': {
      const approvals = executable.approvals.map(callItem);
      return { ...answer, transactionData: { ...callItem(executable.swap), approvals, transactions }, transactions };
    }
    case 'program':
      return { ...answer, transactionData: programItem(executable), transactions };
    case 'deposit':
    case 'payment':
      return answer;
  }
}
