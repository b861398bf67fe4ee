import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import type { ChainTable } from '../chains/chain-table';
import type { Database, Transaction } from '../persistence/database';
import type { RawFields } from '../errors/field-reader';
import type { FiatDeps } from '../quotes/request/resolve-fiat';
import { findQuote, type StoredQuote } from '../quotes/find-quote';
import { assertSponsored, type Sponsorship } from '../quotes/request/resolve-request';
import type { WebhookUrlPolicy } from '../webhooks/webhook-url-problem';
import { actionIdOf } from './action-id';
import { bytecodeHash } from './bytecode-hash';
import { claimQuote, otherRequest } from './claim-quote';
import type { ExecutableDeps, ExecutableSwap } from './execution/executable';
import { assertExecutes, executableSwap } from './execution/build-executable';
import { executableRequest, payoutIndex, quotedPayout } from './resolve-fiat-terms';
import { type ExecutionAnswer, executionAnswer } from './execution/execution-view';
import { matchQuote, type SwapParties } from './match-quote';
import { findOpenDeposit } from './open-deposit';
import { type BytecodeRequest, parseBytecodeRequest } from './parse-bytecode-request';
import { type ActionDeps, startSwapAction } from './start-swap-action';
import type { TransactionItem } from './execution/transaction-item';

export interface SwapTransactionDeps extends ExecutableDeps, ActionDeps {
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
  /** Provider data that came with the quote, when the caller passes it back. */
  readonly rawQuote: unknown;
  readonly signal: AbortSignal;
}

export interface SwapTransaction extends ExecutionAnswer {
  /** Id of the action. */
  readonly id: string;
  readonly quoteId: string;
  /** What to send in sending order, approvals first; nothing for a deposit or a payment. */
  readonly transactionData: readonly TransactionItem[];
}

/**
 * What executes a quote, tried on chain before it is handed out. A quote makes one action: the same request again gives
 * the same action and a fresh transaction, or the same deposit or payment.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, FEE_SPONSORSHIP_NOT_ALLOWED, QUOTE_NOT_FOUND, QUOTE_EXPIRED,
 * PIX_THIRD_PARTY_QUOTE_MISMATCH, QUOTE_VALIDATION_ERROR, MISSING_PIX_KEY; what `executableRequest` and `executableSwap`
 * throw; SWAP_EXECUTION_FAILED when it would revert
 */
export async function createSwapTransaction(
  deps: SwapTransactionDeps,
  { customerId, fields, rawQuote, signal }: SwapTransactionParameters,
): Promise<SwapTransaction> {
  const request = parseBytecodeRequest(fields, deps.webhookUrls);
  const { quoteId, originAddress, destinationAddress } = request;
  const named = [originAddress, destinationAddress].filter((address) => address !== undefined);
  assertNotBlocked(deps.blockedAddresses, named);
  const found = await findQuote(deps, { quoteId, customerId });
  const { vault } = deps.fiat;
  const parties = matchQuote(found, { request, rawQuote, quotedPayout: quotedPayout(found, vault) });
  const hash = bytecodeHash({
    ...request,
    originAddress: parties.sender,
    destinationAddress: walletOf(found, parties),
    payout: payoutIndex(parties.payout, vault),
  });
  if (found.bytecodeHash !== undefined && !hash.equals(found.bytecodeHash)) throw otherRequest(quoteId);
  const quote = {
    ...found,
    request: await executableRequest(deps.fiat, { customerId, quote: found, parties }, signal),
  };
  if (quote.feeSponsorship) await assertSponsored(deps, { customerId, route: quote.request });
  const actionId = actionIdOf(quoteId);
  const order = { customerId, actionId, request, hash, quote, parties };
  const executable = await executableOf(deps, order, signal);
  assertExecutes(executable);
  const started = await deps.database.$transaction((tx) => startExecution({ deps, tx }, { ...order, executable }));
  const answer = executionAnswer(started);
  return { id: actionId, quoteId, ...answer, transactionData: answer.transactions };
}

/** Outside of the chains there is no wallet to receive. */
const walletOf = ({ request: { destination } }: StoredQuote, { recipient }: SwapParties): string | undefined =>
  destination.kind === 'fiat' ? undefined : recipient;

interface ExecutionOrder {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly request: BytecodeRequest;
  /** Of everything in the request that decides what is executed. */
  readonly hash: Buffer;
  readonly quote: StoredQuote;
  readonly parties: SwapParties;
}

async function executableOf(
  deps: SwapTransactionDeps,
  { customerId, actionId, request: { output, accountId }, quote, parties }: ExecutionOrder,
  signal: AbortSignal,
): Promise<ExecutableSwap> {
  const { quoteId, request, offer, deadline, feeSponsorship: sponsored } = quote;
  // Only a quote that a request has bound may have an action, and that a deposit. Ramps keep theirs by themselves.
  const isBound = quote.bytecodeHash !== undefined && request.fiat === undefined;
  const open = isBound ? await findOpenDeposit(deps.database, { customerId, actionId, request, offer }) : undefined;
  if (open !== undefined) return open;
  return executableSwap(deps, {
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

interface Execution extends ExecutionOrder {
  readonly executable: ExecutableSwap;
}

/** Claim, action and calls appear together or not at all. */
async function startExecution(
  { deps, tx }: { readonly deps: ActionDeps; readonly tx: Transaction },
  { customerId, actionId, request, hash, quote, parties, executable }: Execution,
): Promise<ExecutableSwap> {
  const { quoteId } = quote;
  const claim = { quoteId, customerId, bytecodeHash: hash, webhookUrl: request.webhookUrl };
  const { webhookUrl } = await claimQuote(tx, claim);
  const order = { ...quote, ...parties, actionId, customerId, webhookUrl };
  const started = await startSwapAction({ deps, tx }, order, executable);
  if (request.webhookUrl !== undefined) {
    const { webhookUrl: receiver } = request;
    await tx.action.updateMany({ where: { id: actionId, customerId }, data: { webhookUrl: receiver } });
  }
  return started;
}
