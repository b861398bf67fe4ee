import type { Chain } from '../../chains/chain';
import { readBankAccount } from '../../ramps/bank-fields';
import { USD_PAYMENT_METHODS, type UsdBeneficiary, type UsdPaymentMethod } from '../../ramps/usd-beneficiary';
import type { FieldReader } from '../../errors/field-reader';

const MAX_PIX_KEY_LENGTH = 512;

/** What a payout outside of chains is addressed to. */
export interface Payout {
  readonly pixKey: string | undefined;
  readonly beneficiary: UsdBeneficiary | undefined;
  readonly usdPaymentMethod: UsdPaymentMethod;
}

interface PayoutRoute {
  readonly destination: Chain | undefined;
  readonly tokenOut: string | undefined;
}

/** The Pix key or the bank account to pay to; both may be missing when only a price is wanted. */
export function parsePayout(reader: FieldReader, { destination, tokenOut }: PayoutRoute): Payout {
  const pixKey = reader.text('pixKey', MAX_PIX_KEY_LENGTH);
  const paysBrl = destination === undefined || (destination.kind === 'fiat' && tokenOut !== 'USD');
  if (pixKey !== undefined && !paysBrl) reader.problem('pixKey', 'is only for BRL paid out on the chain fiat');
  const usdPaymentMethod = reader.oneOf('usdPaymentMethod', USD_PAYMENT_METHODS) ?? 'WIRE';
  const paysUsd = destination?.kind === 'fiat' && tokenOut === 'USD';
  const account = paysUsd ? readBankAccount(reader, { needed: false }) : undefined;
  const beneficiary = account === undefined ? undefined : { ...account, paymentMethod: usdPaymentMethod };
  return { pixKey, beneficiary, usdPaymentMethod };
}
