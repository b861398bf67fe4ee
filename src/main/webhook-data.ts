import { z } from 'zod';
import { actionOfSnapshot } from '../actions/action-snapshot';
import type { ChainTable } from '../chains/chain-table';
import { invariant, InvariantError } from '../errors/invariant-error';
import { kycStatusOfSnapshot } from '../kyc/kyc-status';
import type { Transaction } from '../persistence/database';
import { webhookQuote } from '../quotes/webhook-quote';
import type { RampBrands } from '../ramps/ramp-names';
import type { RenderWebhook, UnpreparedEvent, WebhookData } from '../webhooks/prepare-events';

export interface WebhookDataDeps {
  readonly chains: ChainTable;
  readonly brands: RampBrands;
}

/** Renders the subject of each type of event as the REST routes show it. */
export const webhookRenderer =
  (deps: WebhookDataDeps): RenderWebhook =>
  (tx, event) => {
    switch (event.type.split('.')[0]) {
      case 'quote':
        return quoteData(tx, event);
      case 'action':
      case 'ramp':
        return Promise.resolve({ data: withoutNulls(actionOfSnapshot(deps.chains, event.snapshot)) });
      case 'kyc':
        return Promise.resolve({ data: withoutNulls(kycStatusOfSnapshot(event.snapshot, deps.brands)) });
      case 'wallet':
        return Promise.resolve({ data: walletData(event, deps) });
      default:
        throw new InvariantError(`there is no data for events of the type ${event.type}`);
    }
  };

interface QuoteRow {
  readonly view: unknown;
  readonly webhookUrl: string | null;
  readonly isExecuted: boolean;
}

/** A quote does not change, and is stored until a week after its deadline. It expires unless it was executed: a draft is no execution. */
async function quoteData(tx: Transaction, { type, subjectId }: UnpreparedEvent): Promise<WebhookData | undefined> {
  const [quote] = await tx.$queryRaw<QuoteRow[]>`
    SELECT quote.view, quote."webhookUrl",
           EXISTS (SELECT 1 FROM "Action" AS action
                    WHERE action."quoteId" = quote.id AND NOT action."isDraft") AS "isExecuted"
      FROM "Quote" AS quote WHERE quote.id = ${subjectId}::uuid`;
  const isExpired = type === 'quote.expired';
  invariant(quote, 'the quote is not stored any more');
  if (isExpired && quote.isExecuted) return undefined;
  return { data: webhookQuote(quote.view, { isExpired }), url: quote.webhookUrl };
}

const changedWallet = z.object({ address: z.string() });

function walletData({ snapshot }: UnpreparedEvent, { brands }: WebhookDataDeps): object {
  const { address: wallet } = changedWallet.parse(snapshot);
  const { kycUserId, walletAddress, walletAddresses, updatedAt } = kycStatusOfSnapshot(snapshot, brands);
  return { kycUserId, wallet, walletAddress, walletAddresses, updatedAt };
}

/** The nulls that REST shows; it omits all others. */
const KEPT_NULL = /^\.amounts\.asset(?:In|Out)(?:\.amountInUSD)?$/;

const withoutNulls = (view: object): object => withoutNullsAt(view, '') as object;

function withoutNullsAt(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNullsAt(item, `${path}[]`));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const fields = Object.entries(value).filter(([name, field]) => field !== null || KEPT_NULL.test(`${path}.${name}`));
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNullsAt(field, `${path}.${name}`)]));
}
