import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import type { PrismaClient } from '../persistence/client/client';

/** A tenant. Limits are requests per window of each API key; `null` stands for those of the deployment. */
export interface Customer {
  readonly id: CustomerId;
  readonly name: string;
  readonly status: 'ACTIVE' | 'SUSPENDED';
  readonly rateLimitPerMinute: number | null;
  readonly rateLimitPerHour: number | null;
  readonly createdAt: Date;
}

export type CustomerTable = Pick<PrismaClient, 'customer'>;

/** The columns of a `Customer`. */
export const CUSTOMER_COLUMNS = {
  id: true,
  name: true,
  status: true,
  rateLimitPerMinute: true,
  rateLimitPerHour: true,
  createdAt: true,
} as const;

export const toCustomer = (row: Omit<Customer, 'id'> & { readonly id: string }): Customer => ({
  ...row,
  id: row.id as CustomerId,
});

const rateLimit = z.int().min(1).max(1_000_000_000).nullable();

/** Fields of a customer that are chosen by whoever administers the deployment. */
export const customerFields = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  rateLimitPerMinute: rateLimit,
  rateLimitPerHour: rateLimit,
};
