import type { Address } from 'viem';
import { parseEvmAddress } from '../../chains/addresses';
import type { Chain } from '../../chains/chain';
import { metadataReads, tokenMetadata } from '../../rpc/token-metadata-reader';
import type { Token } from '../../tokens/token';
import type { Protocol, ProtocolRead, Resolution } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { ProtocolName, StrategyRow } from '../strategy-row';
import { type ChainReadDeps, readProtocols, type ReadState } from './read-at-block';

/** What a chain says about a row: its strategy, why it is refused, or nothing yet. */
export type RowState =
  | { readonly kind: 'resolved'; readonly strategy: Strategy }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unread' };

export interface ResolveRowsDeps extends ChainReadDeps {
  /** The protocols that this version serves. */
  readonly protocols: Readonly<Partial<Record<ProtocolName, Protocol>>>;
}

export interface ResolveRowsRequest {
  readonly chain: Chain;
  readonly rows: readonly StrategyRow[];
  readonly signal: AbortSignal;
}

/** The port allows two rounds: a third one is a mistake of an adapter. */
const MAX_ROUNDS = 2;

type Resolved = Extract<Resolution, { readonly kind: 'resolved' }>;
type Outcome = Resolved | Exclude<RowState, { readonly kind: 'resolved' }>;

/**
 * Reads the contracts of all rows of a chain together: a few rounds of calls, however many rows there are. One row that
 * cannot be read does not affect the others.
 *
 * @returns states in the order of the rows
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond
 */
export async function resolveRows(deps: ResolveRowsDeps, request: ResolveRowsRequest): Promise<readonly RowState[]> {
  const outcomes = await readContracts(deps, request);
  const addresses = request.rows.flatMap(({ underlying }, index) => {
    const outcome = outcomes[index];
    return outcome?.kind === 'resolved' ? [underlying, outcome.receipt] : [];
  });
  const tokens = await readTokens(deps, request, [...new Set(addresses)]);
  return request.rows.map((row, index) => {
    const outcome = outcomes[index] ?? { kind: 'unread' };
    return outcome.kind === 'resolved' ? strategyOf(request.chain, row, { outcome, tokens }) : outcome;
  });
}

async function readContracts(deps: ResolveRowsDeps, request: ResolveRowsRequest): Promise<readonly Outcome[]> {
  const { rows } = request;
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
    const { states } = await readProtocols(deps, { ...request, reads: waiting.map(({ read }) => read) });
    const next = new Map(waiting.map(({ index }, position) => [index, states[position]]));
    resolutions = resolutions.map((resolution, index) => {
      const state = next.get(index);
      return state === undefined ? resolution : resolutionOf(state);
    });
  }
  return resolutions.map((resolution) =>
    resolution.kind === 'next' ? refused('its contracts could not be found in two rounds of reads') : resolution,
  );
}

function resolutionOf(state: ReadState<Resolution>): Resolution | Outcome {
  if (state.kind === 'unread') return state;
  return state.value ?? refused('its contracts do not respond like those of its protocol');
}

const refused = (reason: string): Extract<RowState, { readonly kind: 'refused' }> => ({ kind: 'refused', reason });

type TokenState = ReadState<Token>;

/** Listed tokens are not read. */
async function readTokens(
  deps: ResolveRowsDeps,
  { chain, signal }: ResolveRowsRequest,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, TokenState>> {
  const listed = listedTokens(chain);
  const unlisted = addresses.filter((address) => !listed.has(address));
  const states =
    unlisted.length === 0
      ? []
      : (await readProtocols(deps, { chain, signal, reads: unlisted.map((address) => tokenRead(chain, address)) }))
          .states;
  const read = unlisted.map((address, index) => [address, states[index] ?? { kind: 'unread' }] as const);
  return new Map<Address, TokenState>([
    ...[...listed].map(([address, value]) => [address, { kind: 'read', value }] as const),
    ...read,
  ]);
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
): RowState {
  const [underlying, receipt] = [tokens.get(row.underlying), tokens.get(outcome.receipt)];
  if (underlying?.kind !== 'read' || receipt?.kind !== 'read') return { kind: 'unread' };
  if (underlying.value === undefined) return refused(`its asset ${row.underlying} is not a token`);
  if (receipt.value === undefined) return refused(`its receipt token ${outcome.receipt} is not a token`);
  const { contracts } = outcome;
  return {
    kind: 'resolved',
    strategy: { row, chain, underlying: underlying.value, receipt: receipt.value, contracts },
  };
}
