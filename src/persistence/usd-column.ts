import { type MicroUsd, parseUsd } from '../money/usd';
import type { Prisma } from './client/client';

/** US dollars of a column with six decimals; `undefined` for null. */
export function usdOfColumn(column: Prisma.Decimal | null | undefined): MicroUsd | undefined {
  const text = column?.toFixed();
  return text === undefined ? undefined : parseUsd(text);
}
