import type { Address } from 'viem';
import type { CustomerId } from '../auth/principal';
import type { Database } from '../persistence/database';

/** An ERC-4337 Safe of one of the customer's users. */
export interface SmartAccount {
  readonly address: Address;
  readonly owner: Address;
  readonly chainId: number;
}

/** An account with its customer. */
export type OwnedAccount = SmartAccount & { readonly customerId: CustomerId };

interface SmartAccountStore {
  readonly database: Pick<Database, 'smartAccount'>;
}

export interface SmartAccountKey {
  readonly customerId: CustomerId;
  readonly chainId: number;
  /** Checksummed. */
  readonly address: Address;
}

/** The customer's account with an address; `undefined` when the customer has not created it. */
export async function findSmartAccount(
  { database }: SmartAccountStore,
  { customerId, chainId, address }: SmartAccountKey,
): Promise<SmartAccount | undefined> {
  const row = await database.smartAccount.findUnique({
    where: { customerId_chainId_address: { customerId, chainId, address } },
    select: { owner: true },
  });
  return row === null ? undefined : { address, owner: row.owner as Address, chainId };
}
