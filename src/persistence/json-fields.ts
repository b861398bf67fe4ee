import { z } from 'zod';
import { toBaseUnits } from '../money/base-units';

/** A non-negative integer stored as decimal digits: JSON numbers lose precision beyond 2^53. */
export const integerField = z
  .string()
  .regex(/^[0-9]{1,78}$/)
  .transform((digits) => BigInt(digits));

/** A token amount in base units, stored as decimal digits. */
export const amountField = integerField.transform(toBaseUnits);

/** A field that may be absent; the parsed object then carries it as `undefined`. */
export const optionalField = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().transform((value) => value as z.output<Schema> | undefined);
