import { z } from 'zod';
import { serviceError } from '../errors/service-error';
import type { ValidationIssue } from '../errors/validation';
import { isAdult } from './evidence/calendar-date';
import { normalizeTaxId } from './evidence/primary-submission';
import { birthDay, country, email, optional, phone, postalAddress, readInput, text } from './evidence/read-input';
import type { IdentityDeps } from './identity-deps';
import { openRampAccount } from './open-account';
import { completePerson, type KnownPerson, missingFields } from './person';
import { type Profile, savePerson } from './profile';
import { pollPendingAccount } from './poll-verification';
import { type RampAccountRow, blockVerification } from './verification';

const identity = z.object({ taxId: optional(text), cpf: optional(text), taxIdCountry: optional(country) });
const submission = z.object({
  firstName: text,
  lastName: text,
  email,
  phone,
  dateOfBirth: birthDay,
  address: postalAddress,
  ...identity.shape,
});

export interface SecondarySubmission {
  readonly profile: Profile;
  readonly fields: unknown;
}

/**
 * Opens the account of a person at the secondary ramp. Documents are submitted one by one afterwards. The verification at the
 * primary ramp is not affected. Nothing happens for a person who is approved.
 *
 * @throws VALIDATION_ERROR, UNDER_18, SECONDARY_RAMP_NOT_CONFIGURED, SECONDARY_RAMP_KYC_REJECTED, _IN_PROGRESS, and the codes
 * of the ramp
 */
export async function submitToSecondary(
  deps: IdentityDeps,
  { profile, fields }: SecondarySubmission,
  signal: AbortSignal,
): Promise<void> {
  const parsed = readSecondarySubmission(fields, identityIssues(profile.person, fields));
  const { customerId, kycUserId } = profile;
  if (!isAdult(parsed.dateOfBirth, new Date())) {
    await blockVerification(deps.database, profile, { ramp: 'secondary', reason: 'UNDER_18' });
    throw serviceError('UNDER_18');
  }
  deps.rampProviders.secondary.assertConfigured?.();
  const stored = await pollPendingAccount(deps, { key: profile, ramp: 'secondary' }, signal);
  if (stored?.status === 'approved') return;
  assertOpenAtSecondary(stored);
  const updated = updatedPerson(profile.person, parsed);
  const person = completePerson({ ...updated, email: parsed.email });
  if (person === undefined) {
    throw serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: missingFields(updated).join(', ') });
  }
  // The stored person is the one that is submitted, because the ramp accepts no corrections.
  const beforeRequest = (): Promise<void> => savePerson(deps, profile, updated);
  await openRampAccount(deps, { customerId, kycUserId, ramp: 'secondary', person, beforeRequest }, signal);
}

/** Parses a submission. @throws VALIDATION_ERROR with every invalid field, including the issues found before */
export const readSecondarySubmission = (fields: unknown, found: readonly ValidationIssue[] = []): ParsedSubmission =>
  readInput(submission, fields, found);

/** @throws SECONDARY_RAMP_KYC_REJECTED, SECONDARY_RAMP_KYC_IN_PROGRESS */
export function assertOpenAtSecondary(row: RampAccountRow | undefined): void {
  if (row?.status === 'rejected' || row?.status === 'blocked') throw serviceError('SECONDARY_RAMP_KYC_REJECTED');
  if (row?.status === 'provider_pending') throw serviceError('SECONDARY_RAMP_KYC_IN_PROGRESS');
}

type ParsedSubmission = z.output<typeof submission>;

/** Issues for identity fields that differ from the session. */
function identityIssues({ taxId, taxIdCountry }: KnownPerson, fields: unknown): readonly ValidationIssue[] {
  const { data = {} } = identity.safeParse(fields);
  const known = { taxId, cpf: taxId, taxIdCountry };
  return (['taxId', 'cpf', 'taxIdCountry'] as const).flatMap((path) => {
    const given = data[path];
    const isSame = given === undefined || normalizeTaxId(given) === known[path];
    return isSame ? [] : [{ path, message: 'must equal the tax id of the session' }];
  });
}

/** Keeps the e-mail of the session, which finds the profile. */
const updatedPerson = (person: KnownPerson, given: ParsedSubmission): KnownPerson => ({
  ...person,
  fullName: `${given.firstName} ${given.lastName}`,
  lastName: given.lastName,
  birthDate: given.dateOfBirth,
  phone: given.phone,
  address: { ...given.address, number: given.address.number, complement: given.address.complement },
});
