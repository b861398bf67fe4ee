import type { Chain } from '../chains/chain';
import { isRoutingNumber } from '../ramps/routing-number';
import {
  MAX_DESCRIPTION,
  NO_COUNTRY,
  parseCountry,
  USD_PAYMENT_METHODS,
  type UsdBeneficiary,
  type UsdPaymentMethod,
} from '../ramps/usd-beneficiary';
import type { FieldReader } from './field-reader';

const MAX_PIX_KEY_LENGTH = 512;
const REQUIRED_TOGETHER = [
  'bankAccountNumber',
  'bankRoutingNumber',
  'bankName',
  'bankBeneficiaryName',
  'beneficiaryStreetLine1',
  'beneficiaryCity',
  'beneficiaryState',
  'beneficiaryPostalCode',
  'beneficiaryCountry',
] as const;
const OPTIONAL = ['alias', 'beneficiaryStreetLine2'] as const;

type BankField = (typeof REQUIRED_TOGETHER)[number];

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
  const account = parseBankAccount(reader, destination?.kind === 'fiat' && tokenOut === 'USD');
  const beneficiary = account === undefined ? undefined : { ...account, paymentMethod: usdPaymentMethod };
  return { pixKey, beneficiary, usdPaymentMethod };
}

function parseBankAccount(reader: FieldReader, paysUsd: boolean): Omit<UsdBeneficiary, 'paymentMethod'> | undefined {
  const required = Object.fromEntries(REQUIRED_TOGETHER.map((name) => [name, lineOf(reader, name)] as const));
  const [alias, secondLine] = OPTIONAL.map((name) => lineOf(reader, name));
  const description = lineOf(reader, 'description', MAX_DESCRIPTION);
  if (!paysUsd || !REQUIRED_TOGETHER.some((name) => reader.has(name))) return undefined;
  const field = (name: BankField): string => required[name] ?? '';
  for (const name of REQUIRED_TOGETHER) {
    if (!reader.has(name) || required[name] === '') {
      reader.problem(name, 'is required together with the other bank fields');
    }
  }
  return {
    alias: alias || field('bankBeneficiaryName'),
    ...checkedNumbers(reader, field),
    bankName: field('bankName'),
    name: field('bankBeneficiaryName'),
    street: [field('beneficiaryStreetLine1'), ...(secondLine ? [secondLine] : [])],
    city: field('beneficiaryCity'),
    state: field('beneficiaryState'),
    postalCode: field('beneficiaryPostalCode'),
    country: checkedCountry(reader, field('beneficiaryCountry')),
    description: description || undefined,
  };
}

/** A line of text without the spaces around it. */
const lineOf = (reader: FieldReader, name: string, maxLength?: number): string | undefined =>
  reader.text(name, maxLength)?.trim();

function checkedNumbers(reader: FieldReader, field: (name: BankField) => string) {
  const routingNumber = field('bankRoutingNumber');
  if (routingNumber !== '' && !isRoutingNumber(routingNumber)) {
    reader.problem('bankRoutingNumber', 'must be a valid ABA number');
  }
  const accountNumber = field('bankAccountNumber');
  if (accountNumber !== '' && !/^[0-9]{1,17}$/.test(accountNumber)) {
    reader.problem('bankAccountNumber', 'must be 1 to 17 digits');
  }
  // The ramp provider refuses accented characters.
  const name = field('bankBeneficiaryName');
  if (!/^[\x20-\x7e]*$/.test(name)) reader.problem('bankBeneficiaryName', 'must be written in ASCII characters');
  return { routingNumber, accountNumber };
}

function checkedCountry(reader: FieldReader, text: string): string {
  const country = parseCountry(text);
  if (text !== '' && country === undefined) reader.problem('beneficiaryCountry', NO_COUNTRY);
  return country ?? '';
}
