import { AddressLookupTableAccount, type PublicKey, type VersionedTransaction } from '@solana/web3.js';
import type { Machine } from './machine';

/** The accounts that a transaction names, in the order of their indexes. */
export interface MessageAccounts {
  readonly all: readonly string[];
  readonly writable: readonly string[];
  readonly loaded: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
}

export function messageAccounts(machine: Pick<Machine, 'account'>, { message }: VersionedTransaction): MessageAccounts {
  const loaded = { writable: [] as string[], readonly: [] as string[] };
  for (const { accountKey, writableIndexes, readonlyIndexes } of message.addressTableLookups) {
    const addresses = tableAddresses(machine, accountKey);
    loaded.writable.push(...writableIndexes.flatMap((index) => addresses[index] ?? []));
    loaded.readonly.push(...readonlyIndexes.flatMap((index) => addresses[index] ?? []));
  }
  const own = message.staticAccountKeys.map((key) => key.toBase58());
  const written = own.filter((_, index) => message.isAccountWritable(index));
  return { all: [...own, ...loaded.writable, ...loaded.readonly], writable: [...written, ...loaded.writable], loaded };
}

/** None for an account that is no look-up table: the machine then refuses the transaction. */
function tableAddresses(machine: Pick<Machine, 'account'>, key: PublicKey): readonly string[] {
  const table = machine.account(key.toBase58());
  try {
    const { addresses } = AddressLookupTableAccount.deserialize(table?.data ?? new Uint8Array());
    return addresses.map((address) => address.toBase58());
  } catch {
    return [];
  }
}
