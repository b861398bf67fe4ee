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
 * Opens the account of a person at the secondary ramp. Its documents come one by one afterwards; what the primary ramp
 * thinks is not touched. A person who is approved already stays so.
 *
 * @throws VALIDATION_ERROR, UNDER_18, SECONDARY_RAMP_NOT_CONFIGURED, SECONDARY_RAMP_KYC_REJECTED, _IN_PROGRESS, and the codes
 * of the ramp
 */
export async function submitToSecondary(
  deps: IdentityDeps,
  { profile, fields }: SecondarySubmission,
  signal: AbortSignal,
): Promise<void> {
  const given = readSecondarySubmission(fields, otherPersonIssues(profile.person, fields));
  const { customerId, kycUserId } = profile;
  if (!isAdult(given.dateOfBirth, new Date())) {
    await blockVerification(deps.database, profile, { ramp: 'secondary', reason: 'UNDER_18' });
    throw serviceError('UNDER_18');
  }
  deps.money.secondary.assertConfigured?.();
  const known = await pollPendingAccount(deps, { key: profile, ramp: 'secondary' }, signal);
  if (known?.status === 'approved') return;
  assertOpenAtSecondary(known);
  const learned = learnedOf(profile.person, given);
  const person = completePerson({ ...learned, email: given.email });
  if (person === undefined) {
    throw serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: missingFields(learned).join(', ') });
  }
  // What is kept is what the ramp is told: it takes no corrections.
  const beforeRequest = (): Promise<void> => savePerson(deps, profile, learned);
  await openRampAccount(deps, { customerId, kycUserId, ramp: 'secondary', person, beforeRequest }, signal);
}

/** A submission as its text tells, whoever it is of. @throws VALIDATION_ERROR with every problem, those found before among them */
export const readSecondarySubmission = (fields: unknown, found: readonly ValidationIssue[] = []): Given =>
  readInput(submission, fields, found);

/** @throws SECONDARY_RAMP_KYC_REJECTED, SECONDARY_RAMP_KYC_IN_PROGRESS */
export function assertOpenAtSecondary(row: RampAccountRow | undefined): void {
  if (row?.status === 'rejected' || row?.status === 'blocked') throw serviceError('SECONDARY_RAMP_KYC_REJECTED');
  if (row?.status === 'provider_pending') throw serviceError('SECONDARY_RAMP_KYC_IN_PROGRESS');
}

type Given = z.output<typeof submission>;

/** What is said of who it is, and differs from what the session was opened with. */
function otherPersonIssues({ taxId, taxIdCountry }: KnownPerson, fields: unknown): readonly ValidationIssue[] {
  const { data = {} } = identity.safeParse(fields);
  const known = { taxId, cpf: taxId, taxIdCountry };
  return (['taxId', 'cpf', 'taxIdCountry'] as const).flatMap((path) => {
    const given = data[path];
    const isSame = given === undefined || normalizeTaxId(given) === known[path];
    return isSame ? [] : [{ path, message: 'must equal the tax id of the session' }];
  });
}

/** The profile is found by the e-mail of the session, whichever one a ramp is given. */
const learnedOf = (person: KnownPerson, given: Given): KnownPerson => ({
  ...person,
  fullName: `${given.firstName} ${given.lastName}`,
  lastName: given.lastName,
  birthDate: given.dateOfBirth,
  phone: given.phone,
  address: { ...given.address, number: given.address.number, complement: given.address.complement },
});
