import { parseEther, parseUnits } from 'viem';
import { ZERO_ADDRESS } from '../../../src/chains/addresses';
import { type PlannedSwap, planSwap } from '../local-venues/plan-swap';
import type { VenueToken } from '../local-venues/venue-chain';
import { type BridgedChain, isBridged } from './bridged-chain';
import { ApiError, type TransferParameters } from './parameters';

/** A transfer with all its amounts. */
export interface PricedTransfer {
  readonly tool: Tool;
  /** Fee of LI.FI, in the sold token. */
  readonly fee: bigint;
  /** Swap on the origin chain, where one is needed, and what it buys. */
  readonly swap: { readonly plan: PlannedSwap; readonly bought: VenueToken } | undefined;
  /** What the relayer keeps of what is bridged; zero within one chain. */
  readonly relayFee: bigint;
  /** Coin that goes along. */
  readonly messageFee: bigint;
  readonly toAmount: bigint;
  readonly toAmountMin: bigint;
}

export interface Tool {
  readonly key: string;
  readonly name: string;
}

const AGGREGATOR: Tool = { key: 'lifidexaggregator', name: 'LI.FI DEX Aggregator' };
const RELAY: Tool = { key: 'relay', name: 'Relay' };
/** Sends a message to the other chain, which costs coin. */
const STARGATE: Tool = { key: 'stargateV2', name: 'StargateV2 (Fast mode)' };
const MESSAGE_FEE = parseEther('0.0003');

const BPS = 10_000n;
const WHOLE = 1_000_000n;
const FEE_BPS = 25n;
const RELAY_FEE_BPS = 5n;
/** Minimum fee of the relayer, in whole tokens. */
const MIN_RELAY_FEE: Readonly<Record<string, string>> = { ETH: '0.00002', WETH: '0.00002', BRLA: '0.3' };

/** @throws ApiError when there is no way, or the amount is too low or too high */
export async function priceTransfer(
  parameters: TransferParameters,
  { worseBps }: { readonly worseBps: number },
): Promise<PricedTransfer> {
  const { from, to, fromAmount, toToken, slippage } = parameters;
  const tool = toolOf(parameters);
  const fee = (fromAmount * FEE_BPS) / BPS;
  const { bought, swap } = await wayOf(parameters, tool, fromAmount - fee);
  const arriving = swap?.plan.amountOut ?? fromAmount - fee;
  const relayFee = from === to ? 0n : relayFeeOf(bought, arriving);
  if (arriving <= relayFee) throw noQuote(parameters, tool, 'AMOUNT_TOO_LOW');
  if (from !== to && arriving > maxAmount(toToken)) throw noQuote(parameters, tool, 'AMOUNT_TOO_HIGH');
  const toAmount = ((arriving - relayFee) * (BPS - BigInt(worseBps))) / BPS;
  return {
    tool,
    fee,
    swap,
    relayFee,
    toAmount,
    messageFee: tool === STARGATE ? MESSAGE_FEE : 0n,
    toAmountMin: (toAmount * (WHOLE - slippage)) / WHOLE,
  };
}

/** The token to bridge, and the swap that buys it when another token is sold. */
async function wayOf(parameters: TransferParameters, tool: Tool, amountIn: bigint) {
  const { from, to, fromToken, toToken } = parameters;
  const bought = from === to ? toToken : bridgedToken(parameters);
  if (!isAllowed(parameters, tool) || bought === undefined) throw noQuote(parameters, tool, 'NO_POSSIBLE_ROUTE');
  if (isSameAsset(from, fromToken, bought)) {
    if (from === to) throw noQuote(parameters, tool, 'NO_POSSIBLE_ROUTE');
    return { bought, swap: undefined };
  }
  const swap = await swapTo(parameters, bought, amountIn);
  if (swap === undefined) throw noQuote(parameters, tool, 'INSUFFICIENT_LIQUIDITY');
  return { bought, swap };
}

const toolOf = ({ from, to, toToken }: TransferParameters): Tool => {
  if (from === to) return AGGREGATOR;
  return toToken.symbol === 'USDT' ? STARGATE : RELAY;
};

const isAllowed = ({ allowed }: TransferParameters, { key }: Tool): boolean =>
  allowed.length === 0 || allowed.includes(key);

/** The token on the origin chain that is the bought one on the destination: the coin and its wrapper are one. */
function bridgedToken({ from, to, fromToken, toToken }: TransferParameters): VenueToken | undefined {
  const there = to.tokenAt(toToken.address === ZERO_ADDRESS ? (to.wrappedNative ?? ZERO_ADDRESS) : toToken.address);
  const here = there === undefined || !isBridged(there.symbol) ? undefined : from.tokenNamed(there.symbol);
  return here !== undefined && isSameAsset(from, fromToken, here) ? fromToken : here;
}

const traded = (chain: BridgedChain, { address }: VenueToken) =>
  address === ZERO_ADDRESS ? chain.wrappedNative : address;

const isSameAsset = (chain: BridgedChain, one: VenueToken, other: VenueToken): boolean =>
  traded(chain, one) === traded(chain, other);

/** Tokens with a transfer fee, which are not traded here. */
const TAXED: ReadonlySet<string> = new Set(['TOLL']);

async function swapTo({ from, fromToken }: TransferParameters, bought: VenueToken, amountIn: bigint) {
  const [tokenIn, tokenOut] = [traded(from, fromToken), traded(from, bought)];
  if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) return undefined;
  if (TAXED.has(fromToken.symbol) || TAXED.has(bought.symbol)) return undefined;
  const plan = await planSwap(from, { tokenIn, tokenOut, amountIn });
  return plan === undefined ? undefined : { plan, bought };
}

function relayFeeOf({ symbol, decimals }: VenueToken, amount: bigint): bigint {
  const share = (amount * RELAY_FEE_BPS) / BPS;
  return share + parseUnits(MIN_RELAY_FEE[symbol] ?? '0.02', decimals);
}

/** Maximum amount of one transfer, in whole tokens. */
const MAX_AMOUNTS: Readonly<Record<string, string>> = { ETH: '5000', WETH: '5000', BRLA: '10000000' };

const maxAmount = ({ symbol, decimals }: VenueToken): bigint => parseUnits(MAX_AMOUNTS[symbol] ?? '2000000', decimals);

const MESSAGES = {
  NO_POSSIBLE_ROUTE: 'No route was found for this action.',
  INSUFFICIENT_LIQUIDITY: "The tool's liquidity is insufficient.",
  AMOUNT_TOO_LOW: 'The initial amount is too low to transfer using this tool.',
  AMOUNT_TOO_HIGH: 'The initial amount is too high to transfer using this tool.',
} as const;

function noQuote(parameters: TransferParameters, { key }: Tool, code: keyof typeof MESSAGES): ApiError {
  const { from, to, fromToken, toToken } = parameters;
  const path = `${String(from.chainId)}:${fromToken.symbol}-${key}-${String(to.chainId)}:${toToken.symbol}`;
  const failure = { errorType: 'NO_QUOTE', code, tool: key, message: MESSAGES[code] };
  return new ApiError(404, {
    message: 'No available quotes for the requested transfer',
    code: 1002,
    errors: { filteredOut: [], failed: [{ overallPath: path, subpaths: { [path]: [failure] } }] },
  });
}
