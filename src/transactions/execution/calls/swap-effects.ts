import { type Hex, pad, toEventSelector } from 'viem';
import { isNativeToken, ZERO_ADDRESS } from '../../../chains/addresses';
import { formatBaseUnits } from '../../../money/base-units';
import type { ProviderQuote, QuoteRequest, SwapCall } from '../../../venues/quote-provider';
import type { SimulatedLog } from '../../../rpc/simulate';
import type { Token } from '../../../tokens/token';
import type { Effects, WatchedBalance } from './simulate-effects';

/** What a call is for, and what it may do at most. */
export interface SwapBounds {
  readonly call: SwapCall;
  readonly request: Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;
  readonly offer: Pick<ProviderQuote, 'maxAmountIn' | 'minAmountOut' | 'nativeFee'>;
  readonly recipient: string;
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const APPROVAL = toEventSelector('Approval(address,address,uint256)');
const APPROVAL_FOR_ALL = toEventSelector('ApprovalForAll(address,address,bool)');

/** The balances that tell whether a swap keeps its quote: what leaves the sender, and within one chain what arrives. */
export function watchedBalances({ call, request, recipient }: SwapBounds): readonly WatchedBalance[] {
  const { tokenIn, tokenOut } = request;
  const sold = { token: tokenIn.address, owner: call.from };
  return staysOnChain(request) ? [sold, { token: tokenOut.address, owner: recipient }] : [sold];
}

/**
 * In what way a swap that was tried breaks its quote; `undefined` when it keeps it. Venues are strangers, and most of
 * their calldata is opaque: what counts is what it does.
 */
export function swapEffectFlaw(effects: Effects, bounds: SwapBounds): string | undefined {
  return (
    soldFlaw(effects, bounds) ?? boughtFlaw(effects, bounds) ?? intrusionFlaw(effects.calls.at(-1)?.logs ?? [], bounds)
  );
}

function soldFlaw({ gains: [gained] }: Effects, { request, offer }: SwapBounds): string | undefined {
  const { tokenIn } = request;
  if (gained === undefined) return `moves ${tokenIn.symbol}, of which no balance can be read`;
  const taken = -gained;
  const most = offer.maxAmountIn + (isNativeToken(tokenIn.address) ? (offer.nativeFee ?? 0n) : 0n);
  if (taken > most)
    return `takes ${inWords(taken, tokenIn)} from the sender where ${inWords(most, tokenIn)} were quoted`;
  return taken <= 0n ? `takes no ${tokenIn.symbol} from the sender` : undefined;
}

function boughtFlaw(
  { gains: [, gained] }: Effects,
  { call, request, offer, recipient }: SwapBounds,
): string | undefined {
  if (!staysOnChain(request)) return undefined;
  const { tokenOut } = request;
  if (gained === undefined) return `buys ${tokenOut.symbol}, of which no balance can be read`;
  // Native coin that the buyer itself sends along is no part of what it gets.
  const sentAlong = isNativeToken(tokenOut.address) && isSame(call.from, recipient) ? call.value : 0n;
  const received = gained + sentAlong;
  if (received >= offer.minAmountOut) return undefined;
  return `brings the recipient ${inWords(received, tokenOut)} of ${inWords(offer.minAmountOut, tokenOut)} at least`;
}

/** A swap moves what is sold. Whatever else of the sender it moves, or lets others move later, is a theft. */
function intrusionFlaw(logs: readonly SimulatedLog[], { call, request }: SwapBounds): string | undefined {
  const [sender, spender] = [topicOf(call.from), topicOf(call.spender ?? ZERO_ADDRESS)];
  for (const log of logs.filter(({ topics }) => topics[1]?.toLowerCase() === sender)) {
    const isSold = isSame(log.address, request.tokenIn.address);
    if (isMoved(log) && !isSold) return `takes the token ${log.address} from the sender`;
    const isExpected = isSold && log.topics[2]?.toLowerCase() === spender;
    if (isGranted(log) && !isExpected) return `lets others spend the token ${log.address} of the sender`;
  }
  return undefined;
}

/** An address as events index it. */
const topicOf = (address: string): Hex => pad(address.toLowerCase() as Hex);

/** An ERC-20 moved something; an ERC-721 names its token in a fourth topic. */
const isMoved = ({ topics, data }: SimulatedLog): boolean =>
  topics[0] === TRANSFER && (topics.length === 4 || !isZero(data));

const isGranted = ({ topics, data }: SimulatedLog): boolean =>
  (topics[0] === APPROVAL || topics[0] === APPROVAL_FOR_ALL) && (topics.length === 4 || !isZero(data));

const isZero = (data: Hex): boolean => /^0x0*$/.test(data);

const staysOnChain = ({ origin, destination }: SwapBounds['request']): boolean =>
  origin.chainId === destination.chainId;

const inWords = (amount: bigint, { decimals, symbol }: Token): string =>
  `${formatBaseUnits(amount, decimals)} ${symbol}`;

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
