import { z } from 'zod';
import type { Actor } from '../auth/audit-log';
import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import type { FindQuoteDeps } from '../quotes/find-quote';
import { readAlsoLost } from '../quotes/rewrite-lost-quotes';
import type { ActionRow } from './action-row';
import { findActionRow } from './get-action';
import type { CompletionView } from './action-view';
import { confirmDeposit, type FindDepositDeps } from './confirm-deposit';
import { parseTxHash, reportFor, type ReportDeps } from './report-transaction';
import { transactionUrl } from './transaction-views';

export interface SwapStatusQuery {
  readonly customerId: CustomerId;
  /** Id of a quote, or of an action. */
  readonly id: string;
  /** Transaction that the caller reports as the execution of the swap. */
  readonly txHash?: string | null | undefined;
  /** Bitcoin transaction that the caller reports as the payment of the deposit. */
  readonly btcTxHash?: string | null | undefined;
  /** The user of the dashboard who reports it. */
  readonly actor?: Actor | undefined;
  readonly signal: AbortSignal;
}

export type SwapStatusDeps = ReportDeps & FindDepositDeps & Pick<FindQuoteDeps, 'pendingRewrite'>;

export interface SwapStatus {
  /** Id of the action, or of the quote while it has no action. */
  readonly id: string;
  readonly quoteId: string | null;
  readonly status: ActionRow['status'];
  readonly substatus: string | null;
  readonly provider: string | null;
  readonly originTxHash: string | null;
  readonly originTxUrl: string | null;
  readonly destinationTxHash: string | null;
  readonly destinationTxUrl: string | null;
  readonly refundTxHash: string | null;
  /** Set while the call that completes the swap has to be sent. */
  readonly completion: CompletionView | null;
  readonly updatedAt: Date;
}

/** Types of actions that are swaps or contain one. */
const SWAP_TYPES: ReadonlySet<ActionRow['type']> = new Set([
  'SAMECHAIN_SWAP',
  'CROSSCHAIN_SWAP',
  'ON_RAMP_FIAT',
  'OFF_RAMP_FIAT',
  'CROSSCHAIN_INVESTMENT_DEPOSIT',
  'CROSSCHAIN_INVESTMENT_WITHDRAW',
]);

/**
 * Status of a swap.
 *
 * @throws QUOTE_NOT_FOUND when the customer has neither a quote nor an action with that id; INVALID_ACTION_TYPE when the
 * action is not a swap; with `txHash` the errors of `reportTransaction`; with `btcTxHash` the errors of `confirmDeposit`.
 */
export async function swapStatus(deps: SwapStatusDeps, query: SwapStatusQuery): Promise<SwapStatus> {
  const { customerId, id, btcTxHash, actor, signal } = query;
  const txHash = isGiven(query.txHash) ? parseTxHash(query.txHash) : undefined;
  const row = await findActionRow(deps, { customerId, actionId: id, orQuote: true });
  if (row === undefined) return statusOfQuote(deps, query);
  if (!SWAP_TYPES.has(row.type)) throw serviceError('INVALID_ACTION_TYPE', { type: row.type });
  const deposited = isGiven(btcTxHash);
  if (deposited) await confirmDeposit(deps, row, { btcTxHash, signal });
  const current = deposited ? await findActionRow(deps, { customerId, actionId: row.id }) : row;
  if (txHash === undefined) return statusOf(deps, current ?? row);
  return statusOf(deps, await reportFor(deps, row, { customerId, txHash, actor }));
}

const isGiven = (value: string | null | undefined): value is string => value !== null && value !== undefined;

interface QuoteRow {
  readonly provider: string;
  readonly view: unknown;
  readonly createdAt: Date;
  readonly deadline: Date;
  /** Decided by the clock of the database. */
  readonly expired: boolean;
}

/** A quote without an action waits for its origin until it expires. An expired one never gets an action. */
async function statusOfQuote(
  { database, pendingRewrite }: Pick<SwapStatusDeps, 'database' | 'pendingRewrite'>,
  query: SwapStatusQuery,
): Promise<SwapStatus> {
  const { customerId, id, txHash, btcTxHash } = query;
  const [quote] = await readAlsoLost(
    () => database.$queryRaw<QuoteRow[]>`
      SELECT provider, view, "createdAt", deadline, deadline <= now() AS expired
      FROM "Quote" WHERE id = ${id}::uuid AND "customerId" = ${customerId}::uuid`,
    pendingRewrite,
  );
  if (quote === undefined) throw serviceError('QUOTE_NOT_FOUND', { quoteId: id });
  if (isGiven(btcTxHash)) throw serviceError('DEPOSIT_NOT_FOUND');
  if (isGiven(txHash)) {
    const message = 'does not execute this quote: the quote has no transaction yet';
    throw validationError([{ path: 'txHash', message }]);
  }
  return {
    id,
    quoteId: id,
    status: quote.expired ? 'FAILED' : 'INITIAL',
    substatus: quote.expired ? 'EXPIRED' : 'WAITING_ORIGIN',
    provider: shownProvider(quote),
    originTxHash: null,
    originTxUrl: null,
    destinationTxHash: null,
    destinationTxUrl: null,
    refundTxHash: null,
    completion: null,
    updatedAt: quote.expired ? quote.deadline : quote.createdAt,
  };
}

const shownSchema = z.object({ provider: z.string() });

/** The provider's name in the quote: a ramp under the name that the caller requested. */
const shownProvider = ({ provider, view }: { readonly provider: string; readonly view: unknown }): string =>
  shownSchema.safeParse(view).data?.provider ?? provider;

/** The step that pays the provider. A withdrawal from a strategy comes before the transfer of what it pays. */
function originOf(type: ActionRow['type'], own: ActionRow['steps']): ActionRow['steps'][number] | undefined {
  const isAfterWithdrawal = type === 'CROSSCHAIN_INVESTMENT_WITHDRAW';
  const transfer = own.find(({ kind, operator }) => kind === 'BRIDGE' && operator === 'USER');
  return isAfterWithdrawal && transfer !== undefined ? transfer : own[0];
}

function statusOf({ chains }: Pick<ReportDeps, 'chains'>, row: ActionRow): SwapStatus {
  const { id, quoteId, status, substatus, provider, updatedAt } = row;
  const own = row.steps.filter(({ kind }) => kind !== 'APPROVAL' && kind !== 'REFUND');
  const origin = originOf(row.type, own);
  const delivered = own.slice(1).find(({ operator }) => operator !== 'USER');
  // On one chain the same transaction sends and delivers.
  const destination = delivered ?? own[1] ?? (row.chainIdIn === row.chainIdOut ? origin : undefined);
  const urlOf = (step: typeof origin) =>
    step === undefined ? null : transactionUrl(chains, step.chainId, step.txHash);
  return {
    id,
    quoteId,
    status,
    substatus,
    provider,
    updatedAt,
    originTxHash: origin?.txHash ?? null,
    originTxUrl: urlOf(origin),
    destinationTxHash: destination?.txHash ?? null,
    destinationTxUrl: urlOf(destination),
    refundTxHash: row.steps.find(({ kind }) => kind === 'REFUND')?.txHash ?? null,
    completion: row.completion,
  };
}
