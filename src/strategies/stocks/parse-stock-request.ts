import type { Address } from 'viem';
import type { ChainTable } from '../../chains/chain-table';
import { createFieldReader, type FieldReader, type RawFields } from '../../errors/field-reader';
import { validationError } from '../../errors/validation';
import { parseOutput } from '../../quotes/request/parse-output';
import { parseAmount, parseWebhookUrl } from '../../quotes/request/parse-quote-request';
import { parseRecipient, parseToken, parseWallet } from '../../quotes/request/parse-swap-addresses';
import type { Output } from '../../quotes/request/swap-intent';
import type { WebhookUrlPolicy } from '../../webhooks/webhook-url-problem';
import { assertOwnChain, FROM, TO } from '../operations/parse-other-token';
import type { Strategy } from '../strategy';
import type { OrderSide } from './stock-order';

/** How much is sold: dollars, tokens, or all tokens of the wallet. */
export type SoldAmount =
  | { readonly kind: 'dollars'; readonly dollars: bigint }
  | { readonly kind: 'tokens'; readonly tokens: bigint }
  | { readonly kind: 'all' };

export interface StockRequest {
  readonly side: OrderSide;
  readonly amount: SoldAmount;
  readonly wallet: Address;
  /** Receives what the order buys. */
  readonly recipient: Address;
  /** Limit price in US cents. */
  readonly limitCents: bigint | undefined;
  /** Expiry in Unix seconds. */
  readonly expireAt: number | undefined;
  readonly output: Output;
  readonly accountId: string | undefined;
  readonly webhookUrl: string | undefined;
}

const ACTIONS = ['request-lend', 'request-withdraw'] as const;
/** A million dollars for one token. */
const MAX_PRICE_CENTS = 100_000_000;
/** Earliest and latest expiry, in seconds from now. */
const MIN_LIFETIME_SECONDS = 300;
const MAX_LIFETIME_SECONDS = 30 * 86_400;

/** Validates the arguments of an order. @throws VALIDATION_ERROR with all malformed fields at once */
export function parseStockRequest(
  { chains, webhookUrls }: { readonly chains: ChainTable; readonly webhookUrls: WebhookUrlPolicy },
  strategy: Strategy,
  fields: RawFields,
): StockRequest {
  const reader = createFieldReader(fields);
  const side = parseSide(reader, strategy);
  const amount = side === 'SELL' ? parseSold(reader) : parsePaid(reader);
  if (!reader.has('wallet')) reader.addIssue('wallet', 'is required');
  const wallet = parseWallet(reader, 'wallet', strategy.chain) as Address | undefined;
  const recipient = parseOwner(reader, strategy, side);
  const terms = parseTerms(reader);
  refuseSwap(reader, { chains, strategy, side });
  refuseOthers(reader);
  const output = parseOutput(reader, { origin: strategy.chain });
  const webhookUrl = parseWebhookUrl(reader, webhookUrls);
  if (reader.issues.length > 0 || side === undefined || amount === undefined || wallet === undefined)
    throw validationError(reader.issues);
  return { side, amount, wallet, recipient: recipient ?? wallet, ...terms, webhookUrl, ...output };
}

function parseTerms(reader: FieldReader): Pick<StockRequest, 'limitCents' | 'expireAt'> {
  const limit = reader.integer('priceInUsd', { minimum: 1, maximum: MAX_PRICE_CENTS });
  return { limitCents: limit === undefined ? undefined : BigInt(limit), expireAt: parseExpiry(reader) };
}

interface OrderOf {
  readonly chains: ChainTable;
  readonly strategy: Strategy;
  readonly side: OrderSide | undefined;
}

/** An order has no swap: the underlying asset pays for a purchase and is what a sale pays out, on the chain of the strategy. */
function refuseSwap(reader: FieldReader, { chains, strategy, side: order }: OrderOf): void {
  const { chain, underlying } = strategy;
  for (const side of [FROM, TO]) {
    assertOwnChain(reader, { chains, strategy, side });
    if (!reader.has(side.token)) continue;
    const token = parseToken(reader, side.token, chain);
    const isOwnSide = order === undefined || (order === 'BUY') === (side === FROM);
    if (token !== undefined && !(isOwnSide && token.address === underlying.address))
      reader.addIssue(side.token, `is not supported by orders: they trade ${underlying.symbol}`);
  }
}

/** Parameters of other operations. */
function refuseOthers(reader: FieldReader): void {
  if (reader.has('actionId'))
    reader.addIssue('actionId', 'continues deposits from another chain, which orders are not');
  if (reader.has('slippage')) reader.addIssue('slippage', 'is fixed for orders: use priceInUsd for a limit price');
}

/** A strategy that the deployment has paused only sells. */
function parseSide(reader: FieldReader, { row }: Strategy): OrderSide | undefined {
  if (!reader.has('action')) reader.addIssue('action', 'is required');
  const allowed = row.paused ? ACTIONS.slice(1) : ACTIONS;
  const action = reader.parsed(
    'action',
    (text) => allowed.find((name) => name === text),
    `must be one of the availableActions of the strategy: ${allowed.join(', ')}`,
  );
  if (action === undefined) return undefined;
  return action === 'request-lend' ? 'BUY' : 'SELL';
}

function parseOwner(reader: FieldReader, { chain, receipt, underlying }: Strategy, side: OrderSide | undefined) {
  const { address } = side === 'SELL' ? underlying : receipt;
  const token = { address, requestedAddress: address };
  return parseRecipient(reader, 'destinationAddress', { chain, token }) as Address | undefined;
}

function parsePaid(reader: FieldReader): SoldAmount | undefined {
  if (reader.has('amountInShares')) reader.addIssue('amountInShares', 'is only for request-withdraw: use amount');
  else if (!reader.has('amount')) reader.addIssue('amount', 'is required');
  const dollars = parseAmount(reader, 'amount');
  return dollars === undefined ? undefined : { kind: 'dollars', dollars };
}

/** Exactly one of `amount`, which may be `max`, and `amountInShares`. */
function parseSold(reader: FieldReader): SoldAmount | undefined {
  const [hasAmount, hasShares] = [reader.has('amount'), reader.has('amountInShares')];
  if (hasAmount && hasShares) reader.addIssue('amountInShares', 'must not be given together with amount');
  if (!hasAmount && !hasShares) reader.addIssue('amount', 'is required, or amountInShares instead');
  if (hasShares) {
    const tokens = parseAmount(reader, 'amountInShares');
    return tokens === undefined ? undefined : { kind: 'tokens', tokens };
  }
  if (!hasAmount) return undefined;
  if (reader.text('amount')?.toLowerCase() === 'max') return { kind: 'all' };
  return parseDollars(reader);
}

function parseDollars(reader: FieldReader): SoldAmount | undefined {
  const dollars = parseAmount(reader, 'amount');
  return dollars === undefined ? undefined : { kind: 'dollars', dollars };
}

function parseExpiry(reader: FieldReader): number | undefined {
  const now = Math.trunc(Date.now() / 1000);
  const bounds = { minimum: now + MIN_LIFETIME_SECONDS, maximum: now + MAX_LIFETIME_SECONDS };
  return reader.integer('expireAt', bounds);
}
