import type { Chain } from '../../chains/chain';
import { type ChainTable, unknownChainProblem } from '../../chains/chain-table';
import type { FieldReader } from '../../errors/field-reader';
import { parseToken } from '../../quotes/request/parse-swap-addresses';
import type { Strategy } from '../strategy';
import type { TokenOnChain } from './operation-request';

/** Names of the parameters for the token on one side of an operation, and for its chain. */
export interface SideParameters {
  readonly token: string;
  readonly chain: string;
  /** Other name of `chain`. */
  readonly alias: string;
}
export const FROM: SideParameters = { token: 'fromTokenAddress', chain: 'fromChainId', alias: 'chainIdIn' };
export const TO: SideParameters = { token: 'toTokenAddress', chain: 'toChainId', alias: 'chainIdOut' };

export interface SideContext {
  readonly chains: ChainTable;
  readonly strategy: Strategy;
  readonly side: SideParameters;
}

/** The token on the other side of a swap and its chain; `undefined` when it is the underlying asset itself. */
export function parseOther(reader: FieldReader, { chains, strategy, side }: SideContext): TokenOnChain | undefined {
  const named = parseChainOf(reader, chains, side);
  if (!reader.has(side.token)) {
    if (isElsewhere(named, strategy)) reader.addIssue(side.token, `is required with ${side.chain}`);
    return undefined;
  }
  const chain = named ?? defaultChain(reader, { strategy, side });
  const token = parseToken(reader, side.token, chain);
  if (chain === undefined || token === undefined) return undefined;
  const isUnderlying = !isElsewhere(chain, strategy) && token.address === strategy.underlying.address;
  return isUnderlying ? undefined : { chain, token };
}

/** The chain of a token that is sold is required, also when it is the chain of the strategy. */
function defaultChain(reader: FieldReader, { strategy, side }: Omit<SideContext, 'chains'>): Chain | undefined {
  if (reader.has(side.chain) || reader.has(side.alias)) return undefined;
  if (side === TO) return strategy.chain;
  reader.addIssue(side.chain, `is required with ${side.token}`);
  return undefined;
}

/** For a side without a swap: its token is refused with `problem`; its chain may only be that of the strategy. */
export function refuseOther(reader: FieldReader, side: SideContext, problem: string): void {
  if (reader.has(side.side.token)) reader.addIssue(side.side.token, problem);
  assertOwnChain(reader, side);
}

/** The chain of the strategy may be repeated in a request. */
export function assertOwnChain(reader: FieldReader, { chains, strategy, side }: SideContext): void {
  if (isElsewhere(parseChainOf(reader, chains, side), strategy))
    reader.addIssue(side.chain, `must be the chain of the strategy, ${strategy.chain.slug}`);
}

const isElsewhere = (chain: Chain | undefined, strategy: Strategy): boolean =>
  chain !== undefined && chain.chainId !== strategy.chain.chainId;

function parseChainOf(
  reader: FieldReader,
  chains: ChainTable,
  { chain: name, alias }: SideParameters,
): Chain | undefined {
  const read = (parameter: string): Chain | undefined =>
    reader.parsed(
      parameter,
      (text) => chains.find(text),
      () => unknownChainProblem(chains.served),
    );
  const [byName, byAlias] = [read(name), read(alias)];
  if (byName !== undefined && byAlias !== undefined && byName.chainId !== byAlias.chainId)
    reader.addIssue(alias, `names a different chain than ${name}`);
  return byName ?? byAlias;
}
