import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import type { ChainTable } from '../chains/chain-table';
import { serviceError } from '../errors/service-error';
import type { ActionStatus } from '../persistence/client/enums';
import type { Database, Transaction } from '../persistence/database';
import type { RawFields } from '../errors/field-reader';
import { assertRecipients, type RecipientCheckDeps } from '../quotes/request/recipient-check';
import type { FiatDeps } from '../quotes/request/resolve-fiat';
import { findQuote, type FindQuoteDeps, type StoredQuote } from '../quotes/find-quote';
import { assertSponsored, type Sponsorship } from '../quotes/request/sponsored-route';
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
import { findStartedStatus, readActionStatus } from './started-action';
import type { TransactionItem } from './execution/transaction-item';

export interface SwapTransactionDeps
  extends ExecutableDeps, SwapActionDeps, OpenLimits, RecipientCheckDeps, Pick<FindQuoteDeps, 'pendingRewrite'> {
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
  /** Status of the action. */
  readonly status: ActionStatus;
  /** Transactions in sending order, approvals first. Empty for a deposit or a payment, and once the action was executed. */
  readonly transactionData: readonly TransactionItem[];
}

/**
 * Builds and simulates the transactions that execute a quote, and creates its action. Idempotent: a repeated request
 * returns the same action with fresh transactions, or the same deposit or payment. Once its transaction or payment was seen,
 * the action is returned with its status alone, also after the quote has expired and its payout account was removed.
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
  if (lacksPayout(found, request)) return requireStarted(deps, { customerId, quote: found });
  const { vault } = deps.fiat;
  const parties = matchQuote(found, { request, rawQuote, quotedPayout: quotedPayout(found, vault) });
  const hash = executionRequestHash({
    ...request,
    originAddress: parties.sender,
    destinationAddress: recipientWallet(found, parties),
    payout: payoutBlindIndex(parties.payout, vault),
  });
  const repeated = await findStarted(deps, { customerId, quote: found, hash });
  if (repeated !== undefined) {
    await changeWebhookUrl(deps, { customerId, request });
    return repeated;
  }
  await assertRecipient(deps, { quote: found, parties }, signal);
  const quote = {
    ...found,
    request: await resolveFiatTerms(deps.fiat, { customerId, quote: found, parties }, signal),
  };
  if (quote.feeSponsorship) await assertSponsored(deps, { customerId, route: quote.request });
  // A quote that is bound already has its action.
  if (found.bytecodeHash === undefined)
    await deps.assertMayOpen(customerId, openedResources(quote.request, { isQuoteOnly: false }));
  const execution = { customerId, actionId: actionIdForQuote(quoteId), request, hash, quote, parties };
  return executeOrFindStarted(deps, execution, signal);
}

/**
 * True when retention has removed the account of an expired payout, and the request does not name it: then the request
 * cannot be compared with the first one, and its webhook URL is ignored.
 */
const lacksPayout = (
  { expired, sealedPayout, request: { destination } }: StoredQuote,
  { pixKey }: Pick<ExecutionRequest, 'pixKey'>,
): boolean => expired && destination.kind === 'fiat' && sealedPayout === undefined && pixKey === undefined;

type CustomerQuote = Pick<QuoteExecution, 'customerId' | 'quote'>;

/**
 * The response to a repeated request when nothing more may be signed or paid for its action. `undefined` for a first request,
 * and while the action waits for its transaction.
 *
 * @throws QUOTE_VALIDATION_ERROR for a request with another body than the first one, QUOTE_EXPIRED
 */
async function findStarted(
  deps: Pick<SwapTransactionDeps, 'database'>,
  { customerId, quote, hash }: CustomerQuote & Pick<QuoteExecution, 'hash'>,
): Promise<CreatedSwapTransaction | undefined> {
  const { quoteId, bytecodeHash, expired } = quote;
  if (bytecodeHash === undefined) return undefined;
  if (!hash.equals(bytecodeHash)) throw expired ? serviceError('QUOTE_EXPIRED') : boundElsewhereError(quoteId);
  return expired ? requireStarted(deps, { customerId, quote }) : readStarted(deps, { customerId, quote });
}

/** @throws QUOTE_EXPIRED when the action of the quote waits for its transaction, or there is none */
async function requireStarted(
  deps: Pick<SwapTransactionDeps, 'database'>,
  quote: CustomerQuote,
): Promise<CreatedSwapTransaction> {
  const started = await readStarted(deps, quote);
  if (started === undefined) throw serviceError('QUOTE_EXPIRED');
  return started;
}

/** The action of a quote when nothing more may be signed or paid for it; `undefined` otherwise. */
async function readStarted(
  { database }: Pick<SwapTransactionDeps, 'database'>,
  { customerId, quote: { quoteId, request } }: CustomerQuote,
): Promise<CreatedSwapTransaction | undefined> {
  const actionId = actionIdForQuote(quoteId);
  const status = await findStartedStatus(database, { actionId, customerId });
  if (status === undefined) return undefined;
  const { chainId } = request.origin;
  return { id: actionId, quoteId, status, chainId, transactions: [], transactionData: [] };
}

/** Executes a quote. When that fails because the transaction of a repeated request was seen meanwhile, returns its action. */
async function executeOrFindStarted(
  deps: SwapTransactionDeps,
  execution: QuoteExecution,
  signal: AbortSignal,
): Promise<CreatedSwapTransaction> {
  try {
    return await execute(deps, execution, signal);
  } catch (error) {
    // A quote that was bound meanwhile may be bound to a request with another body.
    const isRepeated = execution.quote.bytecodeHash !== undefined;
    const started = isRepeated ? await readStarted(deps, execution).catch(() => undefined) : undefined;
    if (started === undefined) throw error;
    await changeWebhookUrl(deps, execution);
    return started;
  }
}

/**
 * The next events of an action that has started are sent to the webhook URL of its repeated request, if that has one. The action is
 * not marked as updated: lists by time keep their order.
 */
async function changeWebhookUrl(
  { database }: Pick<SwapTransactionDeps, 'database'>,
  { customerId, request: { quoteId, webhookUrl } }: Pick<QuoteExecution, 'customerId' | 'request'>,
): Promise<void> {
  if (webhookUrl === undefined) return;
  const actionId = actionIdForQuote(quoteId);
  await database.$transaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE "Quote" SET "webhookUrl" = ${webhookUrl}
       WHERE id = ${quoteId}::uuid AND "customerId" = ${customerId}::uuid AND "webhookUrl" IS DISTINCT FROM ${webhookUrl}`;
    await tx.$executeRaw`
      UPDATE "Action" SET "webhookUrl" = ${webhookUrl}
       WHERE id = ${actionId}::uuid AND "customerId" = ${customerId}::uuid AND "webhookUrl" IS DISTINCT FROM ${webhookUrl}`;
  });
}

/** Builds the transactions of an execution and creates its action. */
async function execute(
  deps: SwapTransactionDeps,
  execution: QuoteExecution,
  signal: AbortSignal,
): Promise<CreatedSwapTransaction> {
  const { customerId, actionId, quote } = execution;
  const executable = await buildOrFindExecutable(deps, execution, signal);
  assertExecutes(executable);
  const started = await deps.database.$transaction((tx) => startExecution({ deps, tx }, { ...execution, executable }));
  const view = executionView(started);
  const isFirst = quote.bytecodeHash === undefined;
  const status = isFirst ? 'INITIAL' : await readActionStatus(deps.database, { actionId, customerId });
  return { id: actionId, quoteId: quote.quoteId, status, ...view, transactionData: view.transactions };
}

/** `undefined` for payouts in fiat. */
const recipientWallet = ({ request: { destination } }: StoredQuote, { recipient }: SwapParties): string | undefined =>
  destination.kind === 'fiat' ? undefined : recipient;

/** Refuses a recipient that is a contract where the tokens would be lost. @throws VALIDATION_ERROR */
async function assertRecipient(
  deps: RecipientCheckDeps,
  { quote, parties }: { readonly quote: StoredQuote; readonly parties: SwapParties },
  signal: AbortSignal,
): Promise<void> {
  const address = recipientWallet(quote, parties);
  if (address === undefined) return;
  await assertRecipients(deps, [{ path: 'destinationAddress', chain: quote.request.destination, address }], signal);
}

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
  if (request.webhookUrl !== undefined) {
    // Before the action of an executable quote starts: its first event has to reach the new URL.
    const data = { webhookUrl: request.webhookUrl };
    await tx.action.updateMany({ where: { id: actionId, customerId }, data });
  }
  return startSwapAction({ deps, tx }, swap, executable);
}
