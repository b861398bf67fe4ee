import { serviceError } from '../errors/service-error';
import { RAMP_IDS, type RampId } from './ramp-provider';

/** The configured names of the ramps, accepted in addition to `primary` and `secondary`. */
export type RampBrands = Readonly<Record<RampId, string>>;

/** Longest part of an unknown name that an error message repeats. */
const MAX_ECHOED_LENGTH = 64;

/** A ramp, with its name in the request or its brand. */
export interface NamedRamp {
  readonly ramp: RampId;
  readonly name: string;
}

/**
 * Returns the ramp with a name, case-insensitive. Without a name it is the primary ramp, by its brand.
 *
 * @throws INVALID_RAMP_PROVIDER
 */
export function rampByName(brands: RampBrands, given: string | undefined): NamedRamp {
  if (given === undefined || given === '') return { ramp: 'primary', name: brands.primary };
  const lowerCase = given.toLowerCase();
  for (const ramp of RAMP_IDS) {
    const name = [ramp, brands[ramp]].find((candidate) => candidate.toLowerCase() === lowerCase);
    if (name !== undefined) return { ramp, name };
  }
  throw serviceError('INVALID_RAMP_PROVIDER', { provider: given.slice(0, MAX_ECHOED_LENGTH) });
}
