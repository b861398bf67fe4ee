import type { Chain } from '../../chains/chain';
import type { ChainTable } from '../../chains/chain-table';
import type { FieldReader } from '../../errors/field-reader';

/** The two parameters that name one chain: by slug (an id is accepted too), or by id. */
interface ChainParameters {
  readonly name: string;
  readonly id: string;
}

export const ORIGIN: ChainParameters = { name: 'originChain', id: 'chainIdIn' };
export const DESTINATION: ChainParameters = { name: 'destinationChain', id: 'chainIdOut' };

/** The chain that a request names in either way; both ways together must agree. */
export function parseChain(reader: FieldReader, table: ChainTable, { name, id }: ChainParameters): Chain | undefined {
  if (!reader.has(name) && !reader.has(id)) reader.problem(name, `is required, or ${id} in its place`);
  const find = (parameter: string): Chain | undefined =>
    reader.parsed(parameter, (text) => table.find(text), 'is not a chain that this service knows');
  const byName = find(name);
  const byId = find(id);
  if (byName !== undefined && byId !== undefined && byName.chainId !== byId.chainId) {
    reader.problem(id, `names another chain than ${name}`);
  }
  return byName ?? byId;
}
