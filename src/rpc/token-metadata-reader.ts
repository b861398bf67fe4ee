import { type Address, decodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, hexToString, size } from 'viem';
import { serviceError } from '../errors/service-error';
import { nameToken } from '../tokens/name-token';
import type { TokenMetadata, TokenMetadataReader } from '../tokens/token-metadata';
import { contractRead, type ContractRead } from './contract-read';
import type { Rpc } from './rpc';

/** More than any legitimate token has, and the limit of price and amount calculations. */
const MAX_DECIMALS = 36;

/** Reads symbol, name and decimals of token contracts, in one eth_call each. */
export function createTokenMetadataReader({
  rpc,
}: {
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
}): TokenMetadataReader {
  return {
    async read(chainId, address) {
      if (!rpc.serves(chainId)) {
        const provider = `RPC of chain ${String(chainId)}`;
        throw serviceError('PROVIDER_UNAVAILABLE', { provider, reason: 'it is not configured' });
      }
      const token = address as Address;
      return tokenMetadata(token, await rpc.multicall(chainId, metadataReads(token)));
    },
  };
}

/** The reads that `tokenMetadata` needs, in its order. */
export const metadataReads = (token: Address): readonly ContractRead<unknown>[] => [
  textRead(token, 'symbol'),
  textRead(token, 'name'),
  contractRead({ address: token, abi: erc20Abi, functionName: 'decimals' }),
  contractRead({ address: token, abi: erc20Abi, functionName: 'totalSupply' }),
];

/** `undefined` when there is no token at the address. `results`: those of `metadataReads`, `undefined` for failed ones. */
export function tokenMetadata(token: Address, results: readonly unknown[]): TokenMetadata | undefined {
  const [symbol, name, decimals, supply] = results;
  // NFT collections have a symbol and a supply too, but no decimals.
  if (typeof decimals !== 'number' || decimals > MAX_DECIMALS || supply === undefined) return undefined;
  const fallback = `${token.slice(0, 6)}…${token.slice(-4)}`;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return nameToken(fallback, { symbol: text(symbol), name: text(name), decimals });
}

/** Most tokens return a string; the oldest return 32 bytes padded with zeros. */
function textRead(to: Address, functionName: 'symbol' | 'name'): ContractRead<string> {
  return {
    to,
    data: encodeFunctionData({ abi: erc20Abi, functionName }),
    decode: (data) => (size(data) === 32 ? fixedText(data) : decodeAbiParameters([{ type: 'string' }], data)[0]),
  };
}

const fixedText = (data: Hex): string => hexToString(data).replace(/\0+$/, '');
