import { type Hex, pad, toEventSelector } from 'viem';
import { isNativeToken, isSameAddress, NATIVE_TOKEN, ZERO_ADDRESS } from '../../../chains/addresses';
import { formatBaseUnits } from '../../../money/base-units';
import type { ProviderQuote, QuoteRequest, SwapCall } from '../../../venues/quote-provider';
import type { SimulatedLog } from '../../../rpc/simulate';
import type { Token } from '../../../tokens/token';
import type { CallEffects, WatchedBalance } from './simulate-effects';

/** A call, and the bounds that its quote sets. */
export interface SwapBounds {
  readonly call: SwapCall;
  readonly request: Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;
  readonly offer: Pick<ProviderQuote, 'maxAmountIn' | 'minAmountOut' | 'nativeFee'>;
  readonly recipient: string;
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const APPROVAL = toEventSelector('Approval(address,address,uint256)');
const APPROVAL_FOR_ALL = toEventSelector('ApprovalForAll(address,address,bool)');

/**
 * The balances that show whether a swap keeps its quote: the sender's, within one chain the recipient's, and last the coin of
 * a sender that pays a native fee.
 */
export function watchedBalances(bounds: SwapBounds): readonly WatchedBalance[] {
  const { call, request, recipient } = bounds;
  return [
    { token: request.tokenIn.address, owner: call.from },
    ...(staysOnChain(request) ? [{ token: request.tokenOut.address, owner: recipient }] : []),
    ...(paysFeeOnTop(bounds) ? [{ token: NATIVE_TOKEN, owner: call.from }] : []),
  ];
}

/** True when a sender of another token pays a fee in the native coin. */
const paysFeeOnTop = ({ request, offer }: SwapBounds): boolean =>
  (offer.nativeFee ?? 0n) > 0n && !isNativeToken(request.tokenIn.address);

/**
 * The way in which a simulated swap breaks its quote; `undefined` when it keeps it. Venues are not trusted and most calldata
 * is opaque, so the effects are checked instead.
 */
export function swapEffectProblem(effects: CallEffects, bounds: SwapBounds): string | undefined {
  return (
    soldProblem(effects, bounds) ??
    boughtProblem(effects, bounds) ??
    feeProblem(effects, bounds) ??
    intrusionProblem(effects.calls.at(-1)?.logs ?? [], {
      sender: bounds.call.from,
      token: bounds.request.tokenIn.address,
      spender: bounds.call.spender,
    })
  );
}

function soldProblem({ gains: [gained] }: CallEffects, { request, offer }: SwapBounds): string | undefined {
  const { tokenIn } = request;
  if (gained === undefined) return `moves ${tokenIn.symbol}, whose balance cannot be read`;
  const taken = -gained;
  const maxTaken = offer.maxAmountIn + (isNativeToken(tokenIn.address) ? (offer.nativeFee ?? 0n) : 0n);
  if (taken > maxTaken)
    return `takes ${formatAmount(taken, tokenIn)} from the sender where ${formatAmount(maxTaken, tokenIn)} were quoted`;
  return taken <= 0n ? `takes no ${tokenIn.symbol} from the sender` : undefined;
}

function boughtProblem(
  { gains: [, gained] }: CallEffects,
  { call, request, offer, recipient }: SwapBounds,
): string | undefined {
  if (!staysOnChain(request)) return undefined;
  const { tokenOut } = request;
  if (gained === undefined) return `buys ${tokenOut.symbol}, whose balance cannot be read`;
  // Native coin that the buyer sends with the call reduces the gain, but not the output.
  const sent = isNativeToken(tokenOut.address) && isSameAddress(call.from, recipient) ? call.value : 0n;
  const received = gained + sent;
  if (received >= offer.minAmountOut) return undefined;
  return `brings the recipient ${formatAmount(received, tokenOut)} of ${formatAmount(offer.minAmountOut, tokenOut)} at least`;
}

function feeProblem({ gains }: CallEffects, bounds: SwapBounds): string | undefined {
  if (!paysFeeOnTop(bounds)) return undefined;
  const { request, offer } = bounds;
  const coin = request.origin.nativeCurrency;
  const gained = gains.at(-1);
  if (gained === undefined) return `takes a fee in ${coin.symbol}, whose balance cannot be read`;
  const [taken, maxTaken] = [-gained, offer.nativeFee ?? 0n];
  if (taken <= maxTaken) return undefined;
  return `takes a fee of ${formatAmount(taken, coin)} from the sender where ${formatAmount(maxTaken, coin)} were quoted`;
}

/** The token that a call may take from its sender, and the contract that may take it by an allowance. */
interface ExpectedAccess {
  readonly sender: string;
  readonly token: string;
  readonly spender: string | undefined;
}

/** A call moves only the token that its sender pays with. Moving or approving any other token of the sender is theft. */
export function intrusionProblem(
  logs: readonly SimulatedLog[],
  { sender, token, spender }: ExpectedAccess,
): string | undefined {
  const [owner, expected] = [topicOf(sender), topicOf(spender ?? ZERO_ADDRESS)];
  for (const log of logs.filter(({ topics }) => topics[1]?.toLowerCase() === owner)) {
    const isSold = isSameAddress(log.address, token);
    if (isMoved(log) && !isSold) return `takes the token ${log.address} from the sender`;
    const isExpected = isSold && log.topics[2]?.toLowerCase() === expected;
    if (isGranted(log) && !isExpected) return `lets others spend the token ${log.address} of the sender`;
  }
  return undefined;
}

/** An address as indexed topic of an event. */
const topicOf = (address: string): Hex => pad(address.toLowerCase() as Hex);

/** True for a transfer of ERC-20 tokens above 0, or of an ERC-721 token, whose id is a fourth topic. */
const isMoved = ({ topics, data }: SimulatedLog): boolean =>
  topics[0] === TRANSFER && (topics.length === 4 || !isZero(data));

const isGranted = ({ topics, data }: SimulatedLog): boolean =>
  (topics[0] === APPROVAL || topics[0] === APPROVAL_FOR_ALL) && (topics.length === 4 || !isZero(data));

const isZero = (data: Hex): boolean => /^0x0*$/.test(data);

const staysOnChain = ({ origin, destination }: SwapBounds['request']): boolean =>
  origin.chainId === destination.chainId;

const formatAmount = (amount: bigint, { decimals, symbol }: Pick<Token, 'decimals' | 'symbol'>): string =>
  `${formatBaseUnits(amount, decimals)} ${symbol}`;
