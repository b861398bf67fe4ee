import { z } from 'zod';
import type { Person, PostalAddress } from '../ramps/identity-provider';

/** What is known of a person so far: a profile is opened with tax id and e-mail, the rest comes with the evidence. */
export interface KnownPerson {
  readonly taxId: string;
  /** Alpha-3. */
  readonly taxIdCountry: string;
  readonly email: string;
  readonly fullName?: string | undefined;
  /** The end of it, where they told. */
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

/** What a vault opened. */
export const parseKnownPerson = (value: unknown): KnownPerson => knownPerson.parse(value) as KnownPerson;

/** Names of what a ramp needs of a person and nobody told yet. */
export function missingFields({ fullName, birthDate, address: home }: KnownPerson): readonly string[] {
  const wanted = { fullName, birthDate, address: home };
  return Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [name] : []));
}

/** The person as ramps want it; `undefined` while something is missing. */
export function completePerson(known: KnownPerson): Person | undefined {
  const { fullName, birthDate, address: home, phone, ...rest } = known;
  if (fullName === undefined || birthDate === undefined || home === undefined) return undefined;
  return { ...rest, fullName, birthDate, address: home, phone };
}
