import { serviceError } from '../../../errors/service-error';
import { looksLikeBrCode, parseBrCode } from '../../br-code';
import type { PayoutDestination, TicketRequest } from '../../ramp-provider';
import type { UsdBeneficiary } from '../../usd-beneficiary';
import { findUsdAccount } from './beneficiary';
import { customerFailure, notEligible } from './failures';
import { customerById, type SecondaryRampApi } from './ramp-api';
import { sideParty, type RampSides } from './route-sides';
import { assertApproved, customerName, customerTaxId } from './holder';
import type { ApiCustomer } from './api-schemas';

/** Payer and payee, in the ramp's format. */
export interface TicketParties {
  readonly sender: object;
  readonly receiver: object;
}

/**
 * Resolves payer and payee of a ticket, with every look-up that has to precede the request.
 *
 * @throws SECONDARY_RAMP_KYC_IN_PROGRESS, SECONDARY_RAMP_KYC_REJECTED, KYC_PROFILE_INCOMPLETE_FOR_RAMP, MISSING_PIX_KEY,
 * INVALID_PIX_BRCODE_FORMAT, PIX_BRCODE_REQUOTE_REQUIRED, RAMP_PROVIDER_NOT_ELIGIBLE,
 * SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING; UpstreamError
 */
export async function resolveTicketParties(
  api: SecondaryRampApi,
  { request, sides }: { readonly request: TicketRequest; readonly sides: RampSides },
  signal: AbortSignal,
): Promise<TicketParties> {
  const { account, walletAddress: address, payout, quote } = request;
  const holder = await customerById(api, account.accountId, signal).catch((cause: unknown) => {
    throw customerFailure('CUSTOMER', cause);
  });
  assertApproved(holder);
  const [sent, received] = [sideParty(sides.in), sideParty(sides.out)];
  if (sides.type === 'on_ramp') {
    const payer = sides.in.payment_rail === 'pix' ? payerOf(holder) : {};
    return { sender: { ...sent, ...payer }, receiver: { ...received, address } };
  }
  const receiver = await resolvePayee(api, { holder, payout, amountOut: quote.amountOut }, signal);
  // A saved account already has a currency and a rail.
  const isSaved = sides.out.payment_rail === 'wire';
  return { sender: { ...sent, address }, receiver: isSaved ? receiver : { ...received, ...receiver } };
}

function payerOf(holder: ApiCustomer): { readonly name: string; readonly document: string } {
  const [name, document] = [customerName(holder), customerTaxId(holder)];
  if (name !== '' && document !== undefined) return { name, document };
  const fields = [...(name === '' ? ['name'] : []), ...(document === undefined ? ['taxId'] : [])];
  throw serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: fields.join(', ') });
}

interface PayoutOfHolder {
  readonly holder: ApiCustomer;
  readonly payout: PayoutDestination | undefined;
  readonly amountOut: bigint;
}

async function resolvePayee(
  api: SecondaryRampApi,
  { holder, payout, amountOut }: PayoutOfHolder,
  signal: AbortSignal,
): Promise<object> {
  if (payout?.rail === 'PIX') {
    // The ramp requires the tax id of the key's holder, and only the account holder's is stored.
    if (payout.thirdParty) throw notEligible('it pays Pix to the account holder only');
    return { pix_key: keyOf(payout.pixKey, amountOut), document: payerOf(holder).document };
  }
  if (payout?.rail === 'WIRE')
    return { external_account_id: await findSavedUsdAccount(api, payout.beneficiary, { holder, signal }) };
  throw payout === undefined ? serviceError('MISSING_PIX_KEY') : notEligible('it pays out by Pix and by wire only');
}

/** The Pix key, or the key in a static BR Code, because the ramp accepts only keys. */
function keyOf(pixKey: string, amountOut: bigint): string {
  if (!looksLikeBrCode(pixKey)) return pixKey;
  const { pixKey: key, amount } = parseBrCode(pixKey);
  if (key === undefined) throw notEligible('it cannot read the amount of a dynamic BR Code');
  if (amount !== undefined && amount !== amountOut) throw serviceError('PIX_BRCODE_REQUOTE_REQUIRED');
  return key;
}

async function findSavedUsdAccount(
  api: SecondaryRampApi,
  beneficiary: UsdBeneficiary,
  { holder, signal }: { readonly holder: ApiCustomer; readonly signal: AbortSignal },
): Promise<string> {
  const id = await findUsdAccount(api, { accountId: holder.id, beneficiary }, signal);
  if (id === undefined) throw serviceError('SECONDARY_RAMP_USD_OFFRAMP_ACCOUNT_MISSING');
  return id;
}
