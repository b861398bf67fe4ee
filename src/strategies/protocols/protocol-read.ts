import type { ContractRead } from '../../rpc/contract-read';
import type { ReadResults } from '../../rpc/multicall';
import type { ProtocolRead, ReadBlock } from './protocol';

/** Reads and their decoder, which gets each result in the type of its read. */
export const protocolRead = <const Reads extends readonly ContractRead<unknown>[], Result>(
  reads: Reads,
  decode: (results: ReadResults<Reads>, block: ReadBlock) => Result | undefined,
): ProtocolRead<Result> => ({
  reads,
  // The results stand in the order of the reads, whose decoders have checked them.
  decode: (results, block) => decode(results as ReadResults<Reads>, block),
});
