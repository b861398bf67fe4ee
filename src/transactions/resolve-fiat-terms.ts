import type { CustomerId } from '../auth/principal';
import { invariant } from '../errors/invariant-error';
import { assertRampEnabled } from '../kyc/customer-rules';
import { canonicalHash } from '../persistence/canonical-hash';
import { checkPixKey } from '../quotes/request/pix-key-check';
import type { FiatDeps } from '../quotes/request/resolve-fiat';
import type { StoredQuote } from '../quotes/find-quote';
import type { QuoteRequest } from '../venues/quote-provider';
import { payoutContext } from '../quotes/quote-store';
import { resolveAccountHolder } from '../kyc/account-holder';
import type { PersonalDataVault } from '../persistence/personal-data';
import type { PayoutDestination } from '../ramps/ramp-provider';
import { parseStoredPayout } from '../ramps/stored-ticket';
import type { SwapParties } from './match-quote';

/** The payout stored with a quote; `undefined` when the quote has none. Personal data. */
export const quotedPayout = (
  { quoteId, sealedPayout }: Pick<StoredQuote, 'quoteId' | 'sealedPayout'>,
  vault: Pick<PersonalDataVault, 'open'>,
): PayoutDestination | undefined =>
  sealedPayout === undefined ? undefined : parseStoredPayout(vault.open(sealedPayout, payoutContext(quoteId)));

/** Blind index of a payout, for comparing requests. It cannot be reversed by guessing. */
export const payoutBlindIndex = (
  payout: PayoutDestination | undefined,
  vault: Pick<PersonalDataVault, 'blindIndex'>,
): string | undefined =>
  payout === undefined ? undefined : Buffer.from(vault.blindIndex('payout', canonicalText(payout))).toString('hex');

/** Independent of the order of the payout's fields. */
function canonicalText(payout: PayoutDestination): string {
  const hash = canonicalHash(payout);
  invariant(hash, 'a payout is flat');
  return hash.toString('hex');
}

export interface FiatTermsRequest {
  readonly customerId: CustomerId;
  readonly quote: StoredQuote;
  readonly parties: SwapParties;
}

/**
 * The quote's request at execution. Routes from and to fiat get the current ramp account of the wallet's owner, and the
 * payout after a lookup of its Pix key.
 *
 * @throws RAMP_PROVIDER_NOT_ELIGIBLE when the customer may no longer use the ramp; the errors of `resolveAccountHolder` and
 * `checkPixKey`
 */
export async function resolveFiatTerms(
  deps: FiatDeps,
  { customerId, quote, parties }: FiatTermsRequest,
  signal: AbortSignal,
): Promise<QuoteRequest> {
  const { request } = quote;
  const { fiat, origin } = request;
  if (fiat === undefined) return request;
  const { ramp, name, rail } = fiat;
  const { sender, recipient, payout } = parties;
  const wallet = origin.kind === 'fiat' ? recipient : sender;
  await assertRampEnabled(deps, { customerId, ramp, name });
  const { account } = await resolveAccountHolder(deps, { customerId, wallet, ramp, name, rail }, signal);
  // Also when the quote had the key: a quote is returned even when the lookup was unavailable.
  if (payout?.rail === 'PIX') {
    const { ramps, onUncheckedPixKey } = deps;
    await checkPixKey({ ramp: ramps[ramp], pixKey: payout.pixKey, executable: true, onUncheckedPixKey }, signal);
  }
  return { ...request, fiat: { ...fiat, account, payout } };
}
