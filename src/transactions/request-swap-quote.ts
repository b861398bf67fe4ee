import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';
import type { RawFields } from '../quotes/field-reader';
import { saveQuote } from '../quotes/quote-store';
import { quoteView, type QuoteView } from '../quotes/quote-view';
import { type PricedSwap, type QuoteDeps, quoteSwap } from '../quotes/quote-swap';
import { bytecodeHash } from './bytecode-hash';
import { type ExecutableDeps, type ExecutableSwap, executableSwap } from './executable-swap';
import { type ActionDeps, type StartedSwap, startSwapAction } from './start-swap-action';
import { type TransactionItem, transactionItem } from './transaction-item';

export interface SwapQuoteDeps extends QuoteDeps, ExecutableDeps, ActionDeps {
  readonly rpc: QuoteDeps['rpc'] & ExecutableDeps['rpc'];
  readonly database: Pick<Database, '$transaction' | 'quote'>;
}

export interface SwapQuoteParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  readonly signal: AbortSignal;
}

/** A quote, and what executes it when the request named both ends. */
export interface SwapQuoteResult {
  readonly quote: QuoteView;
  /** Id of the action. */
  readonly id?: string;
  readonly chainId?: number;
  readonly type?: string;
  /** The executing call; `approvals` are sent first, `transactions` is the whole list in sending order. */
  readonly transactionData?: TransactionItem & {
    readonly approvals: readonly TransactionItem[];
    readonly transactions: readonly TransactionItem[];
  };
  readonly transactions?: readonly TransactionItem[];
}

/**
 * The best quote for a request; with both addresses, together with its action and the transaction that executes it.
 * A transaction that would revert is not handed out: the quote then says why in `simulation`, and has no action.
 *
 * @throws what `quoteSwap` and `executableSwap` throw
 */
export async function requestSwapQuote(
  deps: SwapQuoteDeps,
  { customerId, fields, signal }: SwapQuoteParameters,
): Promise<SwapQuoteResult> {
  const swap = await quoteSwap(deps, fields);
  const { originAddress: sender, destinationAddress: recipient } = swap.intent;
  if (sender === undefined || recipient === undefined) {
    const quote = quoteView(swap);
    await saveQuote(deps.database, { customerId, swap, view: quote });
    return { quote };
  }
  const { request, offer, deadline } = swap;
  const executable = await executableSwap(deps, { request, offer, sender, recipient, deadline, signal });
  const view = quoteView(swap, executable);
  if (executable.simulation.status === 'REVERTED') {
    await saveQuote(deps.database, { customerId, swap, view });
    return { quote: view };
  }
  const started = await saveStarted(deps, { customerId, swap, view, sender, recipient, executable });
  return { quote: view, ...startedFields(started) };
}

interface ExecutableQuote {
  readonly customerId: CustomerId;
  readonly swap: PricedSwap;
  readonly view: QuoteView;
  readonly sender: string;
  readonly recipient: string;
  readonly executable: ExecutableSwap;
}

/** Quote and action appear together or not at all. */
async function saveStarted(deps: SwapQuoteDeps, quote: ExecutableQuote): Promise<StartedSwap> {
  const { customerId, swap, view, sender, recipient, executable } = quote;
  const { quoteId, intent, request, offer, deadline } = swap;
  const { thirdParty, webhookUrl } = intent;
  const hash = bytecodeHash({
    ...{ originAddress: sender, destinationAddress: recipient, pixKey: undefined, thirdParty },
  });
  return deps.database.$transaction(async (tx) => {
    await saveQuote(tx, { customerId, swap, view, bytecodeHash: hash });
    const order = {
      ...{ customerId, quoteId, request, offer, deadline, sender, recipient, webhookUrl },
      ...{ amountInUsd: view.tokenIn.amountInUSD, amountOutUsd: view.tokenOut.amountInUSD },
      feeLines: view.feeBreakdown.lines,
    };
    return startSwapAction({ deps, tx }, order, executable);
  });
}

function startedFields({ actionId, approvals, swap }: StartedSwap) {
  const before = approvals.map(transactionItem);
  const item = transactionItem(swap);
  const transactions = [...before, item];
  return {
    ...{ id: actionId, chainId: swap.chainId, type: 'SAMECHAIN_SWAP' },
    ...{ transactionData: { ...item, approvals: before, transactions }, transactions },
  };
}
