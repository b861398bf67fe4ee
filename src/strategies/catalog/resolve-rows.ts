import type { Address } from 'viem';
import { parseEvmAddress } from '../../chains/addresses';
import type { Chain } from '../../chains/chain';
import type { BlockHead } from '../../rpc/block-reads/block-head';
import { metadataReads, tokenMetadata } from '../../rpc/token-metadata-reader';
import type { Token } from '../../tokens/token';
import type { ProtocolRead, ProtocolReader, Resolution } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { ProtocolName, StrategyRow } from '../strategy-row';
import { type ChainReadDeps, readProtocols, type ReadState } from './read-at-block';

/** Result of reading the contracts of a row: its strategy, the reason of its refusal, or nothing. */
export type RowReading =
  | { readonly kind: 'resolved'; readonly strategy: Strategy }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unread' };

export interface RowsReading {
  /** In the order of the rows. */
  readonly rows: readonly RowReading[];
  /** The earliest block of the reads; `undefined` when nothing had to be read. */
  readonly block: BlockHead | undefined;
}

export interface ResolveRowsDeps extends ChainReadDeps {
  /** The protocols that this version serves. */
  readonly protocols: Readonly<Partial<Record<ProtocolName, ProtocolReader>>>;
}

export interface ResolveRowsRequest {
  readonly chain: Chain;
  readonly rows: readonly StrategyRow[];
  readonly signal: AbortSignal;
}

/** The port allows four rounds: a fifth one is a mistake of an adapter. */
const MAX_ROUNDS = 4;

type Resolved = Extract<Resolution, { readonly kind: 'resolved' }>;
type Outcome = Resolved | Exclude<RowReading, { readonly kind: 'resolved' }>;

/**
 * Reads the contracts of all rows of a chain together: a few rounds of calls, however many rows there are. One row that
 * cannot be read does not affect the others.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond
 */
export async function resolveRows(deps: ResolveRowsDeps, request: ResolveRowsRequest): Promise<RowsReading> {
  const { outcomes, block } = await readContracts(deps, request);
  const addresses = request.rows.flatMap(({ underlying }, index) => {
    const outcome = outcomes[index];
    return outcome?.kind === 'resolved' ? [underlying, outcome.receipt, ...(outcome.rewardTokens ?? [])] : [];
  });
  const tokens = await readTokens(deps, request, [...new Set(addresses)]);
  const rows = request.rows.map((row, index): RowReading => {
    const outcome = outcomes[index] ?? { kind: 'unread' };
    return outcome.kind === 'resolved' ? strategyOf(request.chain, row, { outcome, tokens: tokens.states }) : outcome;
  });
  return { rows: withoutSharedReceipts(rows), block: earlier(block, tokens.block) };
}

/** Vaults may share one token of shares (ERC-7575): the balance of a wallet would count in each of their strategies. */
function withoutSharedReceipts(rows: readonly RowReading[]): readonly RowReading[] {
  const owners = new Map<string, string>();
  return rows.map((reading) => {
    if (reading.kind !== 'resolved') return reading;
    const { receipt, row } = reading.strategy;
    const owner = owners.get(receipt.address);
    if (owner !== undefined) return refused(`its receipt token ${receipt.address} is that of ${owner}`);
    owners.set(receipt.address, row.id);
    return reading;
  });
}

const earlier = (one: BlockHead | undefined, other: BlockHead | undefined): BlockHead | undefined =>
  one === undefined || (other !== undefined && other.number < one.number) ? other : one;

interface ContractsReading {
  readonly outcomes: readonly Outcome[];
  readonly block: BlockHead | undefined;
}

async function readContracts(deps: ResolveRowsDeps, request: ResolveRowsRequest): Promise<ContractsReading> {
  const { rows } = request;
  let block: BlockHead | undefined;
  let resolutions: readonly (Resolution | Outcome)[] = rows.map((row) => {
    const protocol = deps.protocols[row.protocol];
    if (protocol === undefined) return refused(`the protocol ${row.protocol} is not served`);
    return protocol.resolution(row);
  });
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const waiting = [...resolutions.keys()].flatMap((index) => {
      const resolution = resolutions[index];
      return resolution?.kind === 'next' ? [{ index, read: resolution.read }] : [];
    });
    if (waiting.length === 0) break;
    const reading = await readProtocols(deps, { ...request, reads: waiting.map(({ read }) => read) });
    const { states } = reading;
    block = earlier(block, reading.block);
    const next = new Map(waiting.map(({ index }, position) => [index, states[position]]));
    resolutions = resolutions.map((resolution, index) => {
      const state = next.get(index);
      return state === undefined ? resolution : resolutionOf(state);
    });
  }
  const outcomes = resolutions.map((resolution) =>
    resolution.kind === 'next' ? refused('its contracts could not be found in four rounds of reads') : resolution,
  );
  return { outcomes, block };
}

function resolutionOf(state: ReadState<Resolution>): Resolution | Outcome {
  if (state.kind === 'unread') return state;
  return state.value ?? refused('its contracts do not respond like those of its protocol');
}

const refused = (reason: string): Extract<RowReading, { readonly kind: 'refused' }> => ({ kind: 'refused', reason });

type TokenState = ReadState<Token>;

interface TokensReading {
  readonly states: ReadonlyMap<Address, TokenState>;
  readonly block: BlockHead | undefined;
}

/** Listed tokens are not read. */
async function readTokens(
  deps: ResolveRowsDeps,
  { chain, signal }: ResolveRowsRequest,
  addresses: readonly Address[],
): Promise<TokensReading> {
  const listed = listedTokens(chain);
  const unlisted = addresses.filter((address) => !listed.has(address));
  const reads = unlisted.map((address) => tokenRead(chain, address));
  const reading = reads.length === 0 ? undefined : await readProtocols(deps, { chain, signal, reads });
  const read = unlisted.map((address, index) => [address, reading?.states[index] ?? { kind: 'unread' }] as const);
  const states = new Map<Address, TokenState>([
    ...[...listed].map(([address, value]) => [address, { kind: 'read', value }] as const),
    ...read,
  ]);
  return { states, block: reading?.block };
}

function listedTokens({ chainId, tokens }: Chain): ReadonlyMap<Address, Token> {
  return new Map(
    tokens.flatMap(({ address: text, symbol, name, decimals, logoURI }) => {
      const address = parseEvmAddress(text);
      return address === undefined ? [] : [[address, { chainId, address, symbol, name, decimals, logoURI }] as const];
    }),
  );
}

const tokenRead = ({ chainId }: Chain, address: Address): ProtocolRead<Token> => ({
  reads: metadataReads(address),
  decode(results) {
    const found = tokenMetadata(address, results);
    if (found === undefined) return undefined;
    const { symbol, name, decimals } = found;
    return { chainId, address, symbol, name, decimals, logoURI: undefined };
  },
});

function strategyOf(
  chain: Chain,
  row: StrategyRow,
  { outcome, tokens }: { readonly outcome: Resolved; readonly tokens: ReadonlyMap<Address, TokenState> },
): RowReading {
  const [underlying, receipt] = [tokens.get(row.underlying), tokens.get(outcome.receipt)];
  if (underlying?.kind !== 'read' || receipt?.kind !== 'read') return { kind: 'unread' };
  if (underlying.value === undefined) return refused(`its asset ${row.underlying} is not a token`);
  if (receipt.value === undefined) return refused(`its receipt token ${outcome.receipt} is not a token`);
  const rewardTokens = rewardsOf(outcome, tokens);
  if (rewardTokens === undefined) return { kind: 'unread' };
  const { contracts } = outcome;
  return {
    kind: 'resolved',
    strategy: {
      row,
      chain,
      underlying: underlying.value,
      receipt: receipt.value,
      contracts,
      ...(rewardTokens.length === 0 ? {} : { rewardTokens }),
    },
  };
}

/**
 * A reward that is no token is left out: it does not keep the strategy from its users. `undefined` when the node did not return
 * one: the row would lose a reward that it has.
 */
function rewardsOf(
  { rewardTokens: addresses = [] }: Resolved,
  tokens: ReadonlyMap<Address, TokenState>,
): readonly Token[] | undefined {
  const rewardTokens: Token[] = [];
  for (const address of addresses) {
    const token = tokens.get(address);
    if (token?.kind !== 'read') return undefined;
    if (token.value !== undefined) rewardTokens.push(token.value);
  }
  return rewardTokens;
}
