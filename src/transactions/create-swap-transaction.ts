import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import type { ChainTable } from '../chains/chain-table';
import type { Database, Transaction } from '../persistence/database';
import type { RawFields } from '../errors/field-reader';
import type { FiatDeps } from '../quotes/request/resolve-fiat';
import { findQuote, type StoredQuote } from '../quotes/find-quote';
import { assertSponsored, type Sponsorship } from '../quotes/request/resolve-request';
import type { WebhookUrlPolicy } from '../webhooks/webhook-url-problem';
import { actionIdForQuote } from './action-id';
import type { OpenLimits } from './action-plan';
import { executionRequestHash } from './execution-request-hash';
import { claimQuote, boundElsewhereError } from './claim-quote';
import type { ExecutableDeps, Executable } from './execution/executable';
import { assertExecutes, buildExecutable } from './execution/build-executable';
import { resolveFiatTerms, payoutBlindIndex, quotedPayout } from './resolve-fiat-terms';
import { type ExecutionView, executionView } from './execution/execution-view';
import { matchQuote, type SwapParties } from './match-quote';
import { findOpenDeposit } from './open-deposit';
import { type ExecutionRequest, parseExecutionRequest } from './parse-execution-request';
import { openedResources, type SwapActionDeps, startSwapAction } from './start-swap-action';
import type { TransactionItem } from './execution/transaction-item';

export interface SwapTransactionDeps extends ExecutableDeps, SwapActionDeps, OpenLimits {
  readonly chains: ChainTable;
  readonly database: Pick<Database, '$transaction' | '$queryRaw'>;
  readonly blockedAddresses: ReadonlySet<string>;
  readonly sponsorship: Sponsorship;
  readonly fiat: FiatDeps;
  readonly webhookUrls: WebhookUrlPolicy;
}

export interface SwapTransactionParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  /** Provider data of the quote, when the caller passes it back. */
  readonly rawQuote: unknown;
  readonly signal: AbortSignal;
}

export interface CreatedSwapTransaction extends ExecutionView {
  /** Id of the action. */
  readonly id: string;
  readonly quoteId: string;
  /** Transactions in sending order, approvals first. Empty for a deposit or a payment. */
  readonly transactionData: readonly TransactionItem[];
}

/**
 * Builds and simulates the transactions that execute a quote, and creates its action. Idempotent: a repeated request
 * returns the same action with fresh transactions, or the same deposit or payment.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, FEE_SPONSORSHIP_NOT_ALLOWED, QUOTE_NOT_FOUND, QUOTE_EXPIRED,
 * PIX_THIRD_PARTY_QUOTE_MISMATCH, QUOTE_VALIDATION_ERROR, MISSING_PIX_KEY; what `resolveFiatTerms` and `buildExecutable`
 * throw; SWAP_EXECUTION_FAILED when it would revert; RATE_LIMIT_EXCEEDED when too many actions are open
 */
export async function createSwapTransaction(
  deps: SwapTransactionDeps,
  { customerId, fields, rawQuote, signal }: SwapTransactionParameters,
): Promise<CreatedSwapTransaction> {
  const request = parseExecutionRequest(fields, deps.webhookUrls);
  const { quoteId, originAddress, destinationAddress } = request;
  const addresses = [originAddress, destinationAddress].filter((address) => address !== undefined);
  assertNotBlocked(deps.blockedAddresses, addresses);
  const found = await findQuote(deps, { quoteId, customerId });
  const { vault } = deps.fiat;
  const parties = matchQuote(found, { request, rawQuote, quotedPayout: quotedPayout(found, vault) });
  const hash = executionRequestHash({
    ...request,
    originAddress: parties.sender,
    destinationAddress: recipientWallet(found, parties),
    payout: payoutBlindIndex(parties.payout, vault),
  });
  if (found.bytecodeHash !== undefined && !hash.equals(found.bytecodeHash)) throw boundElsewhereError(quoteId);
  const quote = {
    ...found,
    request: await resolveFiatTerms(deps.fiat, { customerId, quote: found, parties }, signal),
  };
  if (quote.feeSponsorship) await assertSponsored(deps, { customerId, route: quote.request });
  // A quote that is bound already has its action.
  if (found.bytecodeHash === undefined)
    await deps.assertMayOpen(customerId, openedResources(quote.request, { isQuoteOnly: false }));
  const actionId = actionIdForQuote(quoteId);
  const execution = { customerId, actionId, request, hash, quote, parties };
  const executable = await buildOrFindExecutable(deps, execution, signal);
  assertExecutes(executable);
  const started = await deps.database.$transaction((tx) => startExecution({ deps, tx }, { ...execution, executable }));
  const view = executionView(started);
  return { id: actionId, quoteId, ...view, transactionData: view.transactions };
}

/** `undefined` for payouts in fiat. */
const recipientWallet = ({ request: { destination } }: StoredQuote, { recipient }: SwapParties): string | undefined =>
  destination.kind === 'fiat' ? undefined : recipient;

interface QuoteExecution {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly request: ExecutionRequest;
  /** Hash of the request's fields that determine the execution. */
  readonly hash: Buffer;
  readonly quote: StoredQuote;
  readonly parties: SwapParties;
}

async function buildOrFindExecutable(
  deps: SwapTransactionDeps,
  { customerId, actionId, request: { output, accountId }, quote, parties }: QuoteExecution,
  signal: AbortSignal,
): Promise<Executable> {
  const { quoteId, request, offer, deadline, feeSponsorship: sponsored } = quote;
  // Only a bound quote can have an action with a deposit. Ramps find their open tickets themselves.
  const isBound = quote.bytecodeHash !== undefined && request.fiat === undefined;
  const open = isBound ? await findOpenDeposit(deps.database, { customerId, actionId, request, offer }) : undefined;
  if (open !== undefined) return open;
  return buildExecutable(deps, {
    customerId,
    quoteId,
    actionId,
    request,
    offer,
    deadline,
    ...parties,
    output,
    accountId,
    sponsored,
    signal,
  });
}

/** Claims the quote and creates its action and expected calls in one transaction. */
async function startExecution(
  { deps, tx }: { readonly deps: SwapActionDeps; readonly tx: Transaction },
  {
    customerId,
    actionId,
    request,
    hash,
    quote,
    parties,
    executable,
  }: QuoteExecution & { readonly executable: Executable },
): Promise<Executable> {
  const { quoteId } = quote;
  const claim = { quoteId, customerId, bytecodeHash: hash, webhookUrl: request.webhookUrl };
  const { webhookUrl } = await claimQuote(tx, claim);
  const swap = { ...quote, ...parties, actionId, customerId, webhookUrl, isQuoteOnly: false };
  const started = await startSwapAction({ deps, tx }, swap, executable);
  if (request.webhookUrl !== undefined) {
    const data = { webhookUrl: request.webhookUrl };
    await tx.action.updateMany({ where: { id: actionId, customerId }, data });
  }
  return started;
}
