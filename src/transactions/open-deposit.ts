import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';
import type { ProviderQuote, QuoteRequest } from '../venues/quote-provider';
import type { ExecutableDeposit } from './execution/executable';

const depositSchema = z.object({ address: z.string(), reference: z.string() });

/**
 * The deposit that an action expects; `undefined` when it has none or does not exist yet. A quote has one deposit: a
 * repeated request returns the same address.
 */
export async function findOpenDeposit(
  database: Pick<Database, '$queryRaw'>,
  {
    actionId,
    customerId,
    request,
    offer,
  }: {
    readonly actionId: string;
    readonly customerId: CustomerId;
    readonly request: Pick<QuoteRequest, 'origin'>;
    readonly offer: Pick<ProviderQuote, 'maxAmountIn'>;
  },
): Promise<ExecutableDeposit | undefined> {
  const [row] = await database.$queryRaw<{ deposit: unknown }[]>`
    SELECT deposit FROM "Delivery"
    WHERE "actionId" = ${actionId}::uuid AND "customerId" = ${customerId}::uuid AND deposit IS NOT NULL`;
  if (row === undefined) return undefined;
  const { address, reference } = depositSchema.parse(row.deposit);
  return {
    kind: 'deposit',
    chainId: request.origin.chainId,
    address,
    reference,
    amount: offer.maxAmountIn,
    simulation: undefined,
    gasLimit: undefined,
  };
}
