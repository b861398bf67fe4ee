import { assertNotBlocked } from '../auth/sanctions';
import type { CustomerId } from '../auth/principal';
import type { ChainTable } from '../chains/chain-table';
import { serviceError } from '../errors/service-error';
import type { Database, Transaction } from '../persistence/database';
import type { RawFields } from '../quotes/field-reader';
import { findQuote, type StoredQuote } from '../quotes/find-quote';
import type { WebhookUrlPolicy } from '../webhooks/webhook-url-problem';
import { bytecodeHash } from './bytecode-hash';
import { claimQuote } from './claim-quote';
import { type ExecutableDeps, type ExecutableSwap, executableSwap } from './executable-swap';
import { matchQuote, type SwapParties } from './match-quote';
import { type BytecodeRequest, parseBytecodeRequest } from './parse-bytecode-request';
import { type ActionDeps, type StartedSwap, startSwapAction } from './start-swap-action';
import { type TransactionItem, transactionItem } from './transaction-item';

export interface SwapTransactionDeps extends ExecutableDeps, ActionDeps {
  readonly chains: ChainTable;
  readonly database: Pick<Database, '$transaction' | '$queryRaw'>;
  readonly blockedAddresses: ReadonlySet<string>;
  readonly webhookUrls: WebhookUrlPolicy;
}

export interface SwapTransactionParameters {
  readonly customerId: CustomerId;
  readonly fields: RawFields;
  /** Provider data that came with the quote, when the caller passes it back. */
  readonly rawQuote: unknown;
  readonly signal: AbortSignal;
}

export interface SwapTransaction {
  /** Id of the action. */
  readonly id: string;
  readonly quoteId: string;
  readonly chainId: number;
  /** The calls in sending order, approvals first. */
  readonly transactionData: readonly TransactionItem[];
  /** The same list. */
  readonly transactions: readonly TransactionItem[];
}

/**
 * The transaction that executes a quote, tried on chain before it is handed out. A quote makes one action: the same
 * request again gives the same action and a fresh transaction.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN, QUOTE_NOT_FOUND, QUOTE_EXPIRED, PIX_THIRD_PARTY_QUOTE_MISMATCH,
 * QUOTE_VALIDATION_ERROR, BYTECODE_GENERATION_FAILED
 */
export async function createSwapTransaction(
  deps: SwapTransactionDeps,
  { customerId, fields, rawQuote, signal }: SwapTransactionParameters,
): Promise<SwapTransaction> {
  const request = parseBytecodeRequest(fields, deps.webhookUrls);
  const { quoteId, originAddress, destinationAddress } = request;
  assertNotBlocked(deps.blockedAddresses, [originAddress, ...(destinationAddress ? [destinationAddress] : [])]);
  const quote = await findQuote(deps, { quoteId, customerId });
  const parties = matchQuote(quote, request, rawQuote);
  const executable = await executableSwap(deps, {
    ...{ request: quote.request, offer: quote.offer, deadline: quote.deadline },
    ...{ ...parties, signal },
  });
  const { status, reason = '' } = executable.simulation;
  if (status === 'REVERTED') throw serviceError('BYTECODE_GENERATION_FAILED', { reason: `it would revert: ${reason}` });
  const execution = { customerId, request, quote, parties, executable };
  const started = await deps.database.$transaction((tx) => startExecution({ deps, tx }, execution));
  const transactions = [...started.approvals, started.swap].map(transactionItem);
  const { chainId } = started.swap;
  return { id: started.actionId, quoteId, chainId, transactionData: transactions, transactions };
}

interface Execution {
  readonly customerId: CustomerId;
  readonly request: BytecodeRequest;
  readonly quote: StoredQuote;
  readonly parties: SwapParties;
  readonly executable: ExecutableSwap;
}

/** Claim, action and calls appear together or not at all. */
async function startExecution(
  { deps, tx }: { readonly deps: ActionDeps; readonly tx: Transaction },
  { customerId, request, quote, parties, executable }: Execution,
): Promise<StartedSwap> {
  const { quoteId } = quote;
  const claim = { quoteId, customerId, bytecodeHash: bytecodeHash(request), webhookUrl: request.webhookUrl };
  const { webhookUrl } = await claimQuote(tx, claim);
  const started = await startSwapAction({ deps, tx }, { ...quote, ...parties, customerId, webhookUrl }, executable);
  if (request.webhookUrl !== undefined) {
    const { webhookUrl: receiver } = request;
    await tx.action.updateMany({ where: { id: started.actionId, customerId }, data: { webhookUrl: receiver } });
  }
  return started;
}
