import { randomUUID } from 'node:crypto';
import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { brCodeOf } from '../primary-ramp/br-code';
import { ApiError } from './api-error';
import type { Control } from './control';
import { CENT } from './micro-amount';
import { depositAddressOf } from './usdc-chain';
import type { Webhooks } from './webhooks';
import { type Quote, timestamp, type Transaction, type World } from './world';

const party = z.looseObject({ currency: z.string(), payment_rail: z.string(), address: z.string().optional() });
/** A saved account needs no currency and rail. */
const account = z.looseObject({ external_account_id: z.string(), ...party.partial().shape });
const receiver = z.union([party, account]);
const order = z.object({ quote_id: z.string(), customer_id: z.string().optional(), sender: party, receiver });
type Order = z.output<typeof order>;

export interface TransactionDesk {
  /** `POST /v1/payin` and `POST /v1/payout` */
  open(type: Transaction['type'], body: unknown): Transaction;
  /** @throws ApiError 404 */
  byId(id: string | undefined): Transaction;
  /** Changes a transaction and sends a callback. */
  move(transaction: Transaction, change: Partial<Transaction> & { readonly status: Transaction['status'] }): void;
}

interface Parts {
  readonly world: World;
  readonly control: Control;
  readonly webhooks: Webhooks;
}

const ENDED: ReadonlySet<Transaction['status']> = new Set(['completed', 'refunded', 'cancelled', 'error']);

export function openTransactionDesk({ world, control, webhooks }: Parts): TransactionDesk {
  return {
    open(type, body) {
      const parsed = order.safeParse(body);
      if (!parsed.success) throw new ApiError(422, 'invalid_body', z.prettifyError(parsed.error));
      const quote = usableQuote(world, { type, order: parsed.data });
      const transaction = newTransaction(world, { quote, order: parsed.data });
      if (type === 'on_ramp' && control.autoPayMs > 0) transaction.dueAt = Date.now() + control.autoPayMs;
      quote.used = true;
      world.transactions.push(transaction);
      world.save();
      webhooks.send(transaction);
      return transaction;
    },
    byId(id) {
      const found = world.transactions.find((transaction) => transaction.id === id);
      if (found === undefined) throw new ApiError(404, 'transaction_not_found', 'Transaction not found');
      return found;
    },
    move(transaction, change) {
      const now = timestamp();
      Object.assign(transaction, { dueAt: null, ...change, updated_at: now });
      if (ENDED.has(change.status)) transaction.finished_at = now;
      world.save();
      webhooks.send(transaction);
    },
  };
}

function usableQuote(world: World, { type, order: requested }: { type: Transaction['type']; order: Order }): Quote {
  const quote = world.quotes.find(({ id }) => id === requested.quote_id);
  if (quote?.type !== type) throw new ApiError(422, 'invalid_quote', 'Quote not found');
  if (quote.used) throw new ApiError(422, 'quote_already_used', 'Quote was used already');
  if (quote.expiresAt < Date.now()) throw new ApiError(422, 'quote_expired', 'Quote has expired');
  for (const end of ['sender', 'receiver'] as const) {
    if (end === 'receiver' && requested.receiver['external_account_id'] !== undefined) continue;
    if (quote[end].currency !== requested[end].currency || quote[end].payment_rail !== requested[end].payment_rail) {
      throw new ApiError(422, 'invalid_payment_rail', `${end} differs from the quote`);
    }
  }
  return quote;
}

function newTransaction(world: World, { quote, order: requested }: { quote: Quote; order: Order }): Transaction {
  const customer = world.customers.find(({ id }) => id === requested.customer_id);
  if (customer === undefined) throw new ApiError(404, 'customer_not_found', 'Customer not found');
  if (customer.status !== 'approved') throw new ApiError(422, 'customer_not_allowed', 'Customer is not approved');
  const isPayIn = quote.type === 'on_ramp';
  const wallet = (isPayIn ? requested.receiver : requested.sender).address ?? '';
  if (!isAddress(wallet)) throw new ApiError(422, 'invalid_address', 'address is invalid');
  if (isPayIn) checkPayer(requested.sender);
  else checkReceiver(world, { receiver: requested.receiver, customer: customer.id });
  const [id, now] = [randomUUID(), timestamp()];
  return {
    id,
    type: quote.type,
    quote_id: quote.id,
    customer_id: customer.id,
    status: 'awaiting_deposit',
    quotation: quote.quotation,
    sender: quote.sender,
    receiver: quote.receiver,
    wallet: getAddress(wallet),
    senderDetails: requested.sender,
    receiverDetails: requested.receiver,
    deposit_address: depositAddress(id, quote),
    dueAt: null,
    txHash: null,
    refundHash: null,
    endToEndId: null,
    created_at: now,
    updated_at: now,
    finished_at: null,
  };
}

/** Pix deposits require name and document of the payer. */
function checkPayer({ payment_rail, ...payer }: Order['sender']): void {
  if (payment_rail !== 'pix') return;
  if (typeof payer['name'] !== 'string' || typeof payer['document'] !== 'string') {
    throw new ApiError(422, 'invalid_sender', 'name and document of the sender are required');
  }
}

function checkReceiver(world: World, { receiver, customer }: { receiver: Order['receiver']; customer: string }): void {
  if (receiver['external_account_id'] === undefined) {
    if (typeof receiver['pix_key'] === 'string' && typeof receiver['document'] === 'string') return;
    throw new ApiError(422, 'invalid_receiver', 'pix_key and document of the receiver are required');
  }
  const account = world.accounts.find(({ id }) => id === receiver['external_account_id']);
  if (account?.customer_id !== customer) throw new ApiError(422, 'invalid_receiver', 'external account not found');
}

function depositAddress(id: string, { type, sender }: Quote): string {
  if (type === 'off_ramp') return depositAddressOf(id);
  const transactionId = id.replaceAll('-', '').slice(0, 25);
  if (sender.payment_rail === 'wire') return transactionId.slice(0, 12).toUpperCase();
  const cents = (BigInt(sender.amount) / CENT).toString().padStart(3, '0');
  return brCodeOf({ pixKey: id, amount: `${cents.slice(0, -2)}.${cents.slice(-2)}`, transactionId });
}
