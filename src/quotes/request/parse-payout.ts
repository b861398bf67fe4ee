import type { Chain } from '../../chains/chain';
import { readBankAccount } from '../../ramps/bank-fields';
import { USD_PAYMENT_METHODS, type UsdBeneficiary, type UsdPaymentMethod } from '../../ramps/usd-beneficiary';
import type { FieldReader } from '../../errors/field-reader';

const MAX_PIX_KEY_LENGTH = 512;

/** The payee of a fiat payout. */
export interface PayoutFields {
  readonly pixKey: string | undefined;
  readonly beneficiary: UsdBeneficiary | undefined;
  readonly usdPaymentMethod: UsdPaymentMethod;
}

interface PayoutRoute {
  readonly destination: Chain | undefined;
  readonly tokenOut: string | undefined;
}

/** Reads the Pix key or bank account of the payee; both are optional for a price-only quote. */
export function parsePayout(reader: FieldReader, { destination, tokenOut }: PayoutRoute): PayoutFields {
  const pixKey = reader.text('pixKey', MAX_PIX_KEY_LENGTH);
  const paysBrl = destination === undefined || (destination.kind === 'fiat' && tokenOut !== 'USD');
  if (pixKey !== undefined && !paysBrl) reader.addIssue('pixKey', 'is allowed only for BRL on destination chain fiat');
  const usdPaymentMethod = reader.oneOf('usdPaymentMethod', USD_PAYMENT_METHODS) ?? 'WIRE';
  const paysUsd = destination?.kind === 'fiat' && tokenOut === 'USD';
  const account = paysUsd ? readBankAccount(reader, { required: false }) : undefined;
  const beneficiary = account === undefined ? undefined : { ...account, paymentMethod: usdPaymentMethod };
  return { pixKey, beneficiary, usdPaymentMethod };
}
