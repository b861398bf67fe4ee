import { Prisma } from './client/client';

/** SQL of a limit of a customer: its own, or else that of the deployment. */
export const customerLimitSql = (
  customerId: string,
  limit: string,
  { ofDeployment }: { readonly ofDeployment: number },
): Prisma.Sql => Prisma.sql`
  coalesce((SELECT (customer.limits->>${limit})::int FROM "Customer" AS customer
             WHERE customer.id = ${customerId}::uuid), ${ofDeployment}::int)`;
