import { type Address, getAddress, isAddress } from 'viem';
import { NATIVE_TOKEN } from '../../../src/chains/addresses';
import type { VenueChain, VenueToken } from '../local-venues/venue-chain';
import { parseBaseUnits } from '../../../src/money/base-units';

/** What 0x calls bad input; becomes its error body. */
export class InputInvalid extends Error {
  override readonly name = 'InputInvalid';
  readonly field: string;

  constructor(field: string, reason: string) {
    super(reason);
    this.field = field;
  }
}

export interface SwapParameters {
  readonly chain: VenueChain;
  readonly sellToken: Address;
  readonly buyToken: Address;
  readonly sellAmount: bigint;
  readonly slippageBps: bigint;
  readonly taker: Address | undefined;
  readonly recipient: Address | undefined;
}

export function readParameters(chains: ReadonlyMap<number, VenueChain>, query: URLSearchParams): SwapParameters {
  const chain = chains.get(Number.parseInt(query.get('chainId') ?? '', 10));
  if (chain === undefined) throw new InputInvalid('chainId', 'Unsupported chainId');
  const sellAmount = parseBaseUnits(query.get('sellAmount') ?? '');
  if (sellAmount === undefined) throw new InputInvalid('sellAmount', 'Invalid ethereum amount');
  const slippage = query.get('slippageBps') ?? '100';
  if (!/^[0-9]{1,5}$/.test(slippage)) throw new InputInvalid('slippageBps', 'Should be a number between 0 and 10000');
  return {
    chain,
    sellToken: required(query, 'sellToken'),
    buyToken: required(query, 'buyToken'),
    sellAmount,
    slippageBps: BigInt(slippage),
    taker: addressOf(query, 'taker'),
    recipient: addressOf(query, 'recipient'),
  };
}

function addressOf(query: URLSearchParams, name: string): Address | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!isAddress(text, { strict: false })) throw new InputInvalid(name, 'Invalid ethereum address');
  return getAddress(text);
}

function required(query: URLSearchParams, name: string): Address {
  const address = addressOf(query, name);
  if (address === undefined) throw new InputInvalid(name, 'Required');
  return address;
}

/** Tokens with a transfer fee, which are not traded here. */
const TAXED: ReadonlySet<string> = new Set(['TOLL']);

/** The ERC-20 that is traded for a token, the wrapper for the coin; `undefined` for what is not traded. */
export function tradedToken(chain: VenueChain, token: Address): VenueToken | undefined {
  const address = token === NATIVE_TOKEN ? chain.wrappedNative : token;
  return chain.tokens.find((listed) => listed.address === address && !TAXED.has(listed.symbol));
}
