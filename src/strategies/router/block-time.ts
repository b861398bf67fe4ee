import type { ProtocolRead } from '../protocols/protocol';

/** The read with the time of its block in Unix seconds: what deadlines of contracts are compared with. */
export const withBlockTime = <Result extends object>(
  read: ProtocolRead<Result>,
): ProtocolRead<Result & { readonly blockTime: bigint }> => ({
  reads: read.reads,
  decode: (results, block) => {
    const result = read.decode(results, block);
    return result === undefined ? undefined : { ...result, blockTime: block.timestamp };
  },
});
