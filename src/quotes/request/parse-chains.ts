import type { Chain } from '../../chains/chain';
import { type ChainTable, unknownChainProblem } from '../../chains/chain-table';
import type { FieldReader } from '../../errors/field-reader';

/** The two parameters for one chain: by slug (an id is accepted too), or by id. */
interface ChainParameters {
  readonly name: string;
  readonly id: string;
}

export const ORIGIN: ChainParameters = { name: 'originChain', id: 'chainIdIn' };
export const DESTINATION: ChainParameters = { name: 'destinationChain', id: 'chainIdOut' };

/** Reads the chain from either parameter; when both are given, they must agree. */
export function parseChain(reader: FieldReader, table: ChainTable, { name, id }: ChainParameters): Chain | undefined {
  if (!reader.has(name) && !reader.has(id)) reader.addIssue(name, `is required, unless ${id} is given`);
  const find = (parameter: string): Chain | undefined =>
    reader.parsed(
      parameter,
      (text) => table.find(text),
      () => unknownChainProblem(table.served),
    );
  const byName = find(name);
  const byId = find(id);
  if (byName !== undefined && byId !== undefined && byName.chainId !== byId.chainId) {
    reader.addIssue(id, `names a different chain than ${name}`);
  }
  return byName ?? byId;
}
