import { z } from 'zod';
import type { Person, PostalAddress } from '../ramps/kyc-provider';

/** The data of a person that is stored so far: tax id and e-mail from the session, the rest from the evidence. */
export interface KnownPerson {
  readonly taxId: string;
  /** Alpha-3. */
  readonly taxIdCountry: string;
  readonly email: string;
  readonly fullName?: string | undefined;
  /** The end of `fullName`, when the person stated it. */
  readonly lastName?: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly birthDate?: string | undefined;
  readonly phone?: string | undefined;
  readonly address?: PostalAddress | undefined;
}

const text = z.string();
const address = z.object({
  country: text,
  state: text,
  city: text,
  zipCode: text,
  streetAddress: text,
  number: text.optional(),
  complement: text.optional(),
});
const knownPerson = z.object({
  taxId: text,
  taxIdCountry: text,
  email: text,
  fullName: text.optional(),
  lastName: text.optional(),
  birthDate: text.optional(),
  phone: text.optional(),
  address: address.optional(),
});

/** Parses a person that was decrypted by the vault. */
export const parseKnownPerson = (value: unknown): KnownPerson => knownPerson.parse(value) as KnownPerson;

/** Names of the fields that ramps require and that are not stored yet. */
export function missingFields({ fullName, birthDate, address: home }: KnownPerson): readonly string[] {
  const required = { fullName, birthDate, address: home };
  return Object.entries(required).flatMap(([name, value]) => (value === undefined ? [name] : []));
}

/** The person with every field that ramps require; `undefined` while a field is missing. */
export function completePerson(known: KnownPerson): Person | undefined {
  const { fullName, birthDate, address: home, phone, ...rest } = known;
  if (fullName === undefined || birthDate === undefined || home === undefined) return undefined;
  return { ...rest, fullName, birthDate, address: home, phone };
}
