import { type Address, getAddress, isAddress } from 'viem';
import { NATIVE_TOKEN, ZERO_ADDRESS } from '../../../src/chains/addresses';
import type { EmulatorResponse } from '../http-emulator';
import type { VenueToken } from '../local-venues/venue-chain';
import type { BridgedChain } from './bridged-chain';
import { parseBaseUnits } from '../../../src/money/base-units';

/** An error of the API: code 1000 to 1013, with the status that goes with it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly response: EmulatorResponse;

  constructor(status: number, body: { readonly message: string; readonly code: number; readonly errors?: unknown }) {
    super(body.message);
    this.response = { status, body };
  }
}

export interface TransferParameters {
  readonly from: BridgedChain;
  readonly to: BridgedChain;
  /** The coin is the zero address. */
  readonly fromToken: VenueToken;
  readonly toToken: VenueToken;
  readonly fromAmount: bigint;
  readonly fromAddress: Address;
  readonly toAddress: Address;
  /** In millionths. */
  readonly slippage: bigint;
  /** Keys of bridges and exchanges that may be used; all when empty. */
  readonly allowed: readonly string[];
}

export type Chains = ReadonlyMap<number, BridgedChain>;

export const invalid = (message: string): ApiError => new ApiError(400, { message, code: 1011 });

export function readTransfer(chains: Chains, query: URLSearchParams): TransferParameters {
  const [from, to] = [chainOf(chains, query, 'fromChain'), chainOf(chains, query, 'toChain')];
  const fromAmount = parseBaseUnits(query.get('fromAmount') ?? '') ?? 0n;
  if (fromAmount === 0n) throw invalid('/fromAmount must match pattern "^[0-9]+$"');
  const fromAddress = addressOf(query, 'fromAddress');
  if (fromAddress === undefined) throw invalid("must have required property 'fromAddress'");
  const which = from === to ? 'allowExchanges' : 'allowBridges';
  return {
    from,
    to,
    fromAmount,
    fromAddress,
    fromToken: tokenOf(from, query, 'fromToken'),
    toToken: tokenOf(to, query, 'toToken'),
    toAddress: addressOf(query, 'toAddress') ?? fromAddress,
    slippage: slippageOf(query.get('slippage') ?? '0.005'),
    allowed: query.get(which)?.split(',') ?? [],
  };
}

export function chainOf(chains: Chains, query: URLSearchParams, name: string): BridgedChain {
  const chain = chains.get(Number.parseInt(query.get(name) ?? '', 10));
  if (chain === undefined) throw invalid(`/${name} must be equal to one of the allowed values`);
  return chain;
}

function addressOf(query: URLSearchParams, name: string): Address | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!isAddress(text, { strict: false })) throw invalid(`/${name} is not a valid address`);
  return getAddress(text);
}

function tokenOf(chain: BridgedChain, query: URLSearchParams, name: string): VenueToken {
  const address = addressOf(query, name);
  if (address === undefined) throw invalid(`must have required property '${name}'`);
  const token = chain.tokenAt(address === NATIVE_TOKEN ? ZERO_ADDRESS : address);
  if (token === undefined) throw invalid(`/${name} is not a known token on chain ${String(chain.chainId)}`);
  return token;
}

function slippageOf(text: string): bigint {
  const fraction = /^0\.([0-9]{1,6})$/.exec(text)?.[1];
  if (fraction === undefined) throw invalid('/slippage must be >= 0 and < 1');
  return BigInt(fraction.padEnd(6, '0'));
}
