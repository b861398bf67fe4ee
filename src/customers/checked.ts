import type { z } from 'zod';
import { validationError } from '../errors/validation';

/** The parameters as the schema reads them. @throws VALIDATION_ERROR with everything that is wrong. */
export function checked<Schema extends z.ZodType>(schema: Schema, parameters: z.input<Schema>): z.output<Schema> {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  throw validationError(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}
