import { z } from 'zod';
import { usdNumber } from './usd-number';

const viewSchema = z.looseObject({
  feeBreakdown: z.looseObject({ lines: z.array(z.unknown()) }),
});

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/**
 * A stored quote as webhooks show it: as the API does, without `rawQuote`, whose size has no bound, and with the status
 * `expired` once it has expired.
 */
export function webhookQuote(stored: unknown, { isExpired }: { readonly isExpired: boolean }): object {
  const { feeBreakdown, ...view } = viewSchema.parse(stored);
  const fees = { ...feeBreakdown, charges: feeBreakdown.lines };
  const shown = { ...view, rawQuote: undefined, feeBreakdown: fees, ...(isExpired ? { status: 'expired' } : {}) };
  return JSON.parse(JSON.stringify(shown), withNumbers) as object;
}

/** US dollars as numbers. */
const withNumbers = (name: string, value: unknown): unknown =>
  name.endsWith('USD') && typeof value === 'string' && DECIMAL.test(value) ? usdNumber(value) : value;
