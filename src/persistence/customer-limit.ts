import { Prisma } from './client/client';

/** SQL of a limit of a customer: its own, or else that of the deployment; a lower one when the customer chose it. */
export const customerLimitSql = (
  customerId: string,
  limit: string,
  { ofDeployment }: { readonly ofDeployment: number },
): Prisma.Sql => Prisma.sql`
  coalesce((SELECT least(coalesce((customer.limits->>${limit})::int, ${ofDeployment}::int),
                         (customer."chosenLimits"->>${limit})::int)
              FROM "Customer" AS customer WHERE customer.id = ${customerId}::uuid), ${ofDeployment}::int)`;
