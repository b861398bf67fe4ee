import { serviceError } from '../errors/service-error';
import { RAMP_IDS, type RampId } from './ramp-provider';

/** What the ramps are called by callers, beside `primary` and `secondary`. */
export type RampBrands = Readonly<Record<RampId, string>>;

/** Of a name that nobody has, so much is repeated to whoever sent it. */
const LONGEST_SHOWN = 64;

/** A ramp, and the name by which it was asked for or is called. */
export interface NamedRamp {
  readonly ramp: RampId;
  readonly name: string;
}

/**
 * The ramp that a name stands for, in any case; without a name it is the primary one, by its brand.
 *
 * @throws INVALID_RAMP_PROVIDER
 */
export function rampByName(brands: RampBrands, given: string | undefined): NamedRamp {
  if (given === undefined || given === '') return { ramp: 'primary', name: brands.primary };
  const wanted = given.toLowerCase();
  for (const ramp of RAMP_IDS) {
    const name = [ramp, brands[ramp]].find((known) => known.toLowerCase() === wanted);
    if (name !== undefined) return { ramp, name };
  }
  throw serviceError('INVALID_RAMP_PROVIDER', { provider: given.slice(0, LONGEST_SHOWN) });
}
