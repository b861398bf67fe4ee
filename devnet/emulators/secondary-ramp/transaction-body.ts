import { numberOf } from './micro-amount';
import type { Transaction } from './world';

/** A transaction in the format of the API. */
export function transactionBody(transaction: Transaction): object {
  const { id, type, status, quote_id, customer_id, quotation, sender, receiver } = transaction;
  const { created_at, updated_at, finished_at, txHash, refundHash, endToEndId } = transaction;
  const [sent, received] = [sender, receiver].map(({ amount, ...rest }) => ({
    ...rest,
    amount: numberOf(BigInt(amount)),
  }));
  const isPayIn = type === 'on_ramp';
  const pixId = endToEndId === null ? {} : { pix_end_to_end_id: endToEndId };
  const isDone = status === 'completed';
  return {
    id,
    status,
    type,
    partner_id: 'partner',
    quote_id,
    customer_id,
    quotation,
    sender_deposit_instructions: depositOf(transaction),
    sender: { ...sent, ...transaction.senderDetails, ...(isPayIn ? pixId : {}) },
    receiver: {
      ...received,
      ...transaction.receiverDetails,
      ...(isPayIn ? {} : pixId),
      ...(txHash === null ? {} : { tx_hash: txHash }),
    },
    receipt: isDone && !isPayIn ? { initial_crypto_amount: sent?.amount, final_fiat_amount: received?.amount } : null,
    ...(refundHash === null ? {} : { refund: { tx_hash: refundHash } }),
    created_at,
    updated_at,
    finished_at,
  };
}

const BANK = {
  bank_name: 'Emulated Bank, N.A.',
  routing_number: '021000021',
  bank_account_number: '000123456789',
  beneficiary: { name: 'RAMP EMULATOR LLC', address: '1 Wall Street, New York, NY 10005, USA' },
};

function depositOf({ sender, deposit_address }: Transaction): object {
  const deposit = {
    amount: numberOf(BigInt(sender.amount)),
    currency: sender.currency,
    payment_rail: sender.payment_rail,
  };
  if (sender.payment_rail !== 'wire') return { ...deposit, deposit_address };
  return { ...deposit, deposit_address: BANK.bank_account_number, bank_account: BANK, reference: deposit_address };
}
