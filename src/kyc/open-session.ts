import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import { validationError } from '../errors/validation';
import { isCpf } from '../ramps/tax-id';
import { bareTaxId } from './evidence/primary-submission';
import { country, email, optional, readInput, text } from './evidence/read-input';
import type { IdentityDeps } from './identity-deps';
import { openProfile } from './open-profile';
import { type KycStatus, kycStatus } from './status';

const BRAZIL = 'BRA';
const session = z.object({
  ...{ cpf: optional(text), taxId: optional(text), taxIdCountry: optional(country) },
  ...{ email, walletAddress: text, externalUserId: optional(text) },
});

export interface SessionRequest {
  readonly customerId: CustomerId;
  readonly fields: unknown;
}

/**
 * Opens the profile of a person, or finds it, and tells how it stands.
 *
 * @throws VALIDATION_ERROR, FORBIDDEN for blocked wallets, KYC_WALLET_ALREADY_LINKED
 */
export async function openSession(
  deps: IdentityDeps,
  { customerId, fields }: SessionRequest,
  signal: AbortSignal,
): Promise<KycStatus> {
  const { cpf, taxId, taxIdCountry, ...given } = readInput(session, fields);
  const person = { ...taxIdOf({ cpf, taxId, taxIdCountry }), email: given.email };
  assertNotBlocked(deps.blockedAddresses, [given.walletAddress]);
  const { walletAddress, externalUserId } = given;
  const { kycUserId } = await openProfile(deps, { customerId, person, walletAddress, externalUserId });
  return kycStatus(deps, { customerId, kycUserId, rampProvider: undefined }, signal);
}

type GivenTaxId = Readonly<Record<'cpf' | 'taxId' | 'taxIdCountry', string | undefined>>;

/** A CPF, or the tax id of a country, which is Brazil unless another one is given. */
function taxIdOf({ cpf, taxId, taxIdCountry }: GivenTaxId): { readonly taxId: string; readonly taxIdCountry: string } {
  if (cpf !== undefined && taxId !== undefined) throw problem('cpf', 'must not be given together with taxId');
  const given = cpf ?? taxId;
  if (given === undefined) throw problem('cpf', 'is required, or taxId');
  const where = cpf === undefined ? (taxIdCountry ?? BRAZIL) : BRAZIL;
  const bare = bareTaxId(given);
  const isFine = where === BRAZIL ? isCpf(bare) : /^[0-9A-Z]{4,32}$/.test(bare);
  if (!isFine) throw problem(cpf === undefined ? 'taxId' : 'cpf', 'must be a valid tax id');
  return { taxId: bare, taxIdCountry: where };
}

const problem = (path: string, message: string) => validationError([{ path, message }]);
