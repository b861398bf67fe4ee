import { type Address, erc20Abi, formatUnits, parseAbi } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { ACROSS_KEYS } from '../../across/across-contracts';
import { CANONICAL } from '../../canonical-addresses';
import { acrossApiError } from './api-error';
import type { BridgedChain, BridgedToken } from './bridged-chain';
import { isSameAddress } from '../../../src/chains/addresses';

/** A token of the origin and the same token on the destination. */
export interface Route {
  readonly origin: BridgedChain;
  readonly destination: BridgedChain;
  readonly inputToken: BridgedToken;
  readonly outputToken: BridgedToken;
}

/** What a transfer costs, in base units of the input token. */
export interface Fees {
  readonly relayerCapital: bigint;
  readonly destinationGas: bigint;
  readonly lp: bigint;
}

/** Smallest and largest deposit, in base units of the input token. */
export interface Limits {
  readonly minDeposit: bigint;
  readonly maxDeposit: bigint;
}

/** Shares of the amount, in 10^-18: the unit of the API's `pct`. */
const WHOLE = 10n ** 18n;
const CAPITAL_SHARE = 3n * 10n ** 14n;
const LP_SHARE = 10n ** 14n;
/** A fill at 1 gwei, in wei. The fee market of a local chain falls with every empty block; this does not. */
const FILL_COST = 100_000n * 10n ** 9n;
/** The gas of the fill may be this part of the smallest deposit. */
const GAS_PART = 2n;

const RELAYER = privateKeyToAddress(ACROSS_KEYS.relayer);
const POOL_FEES = [500, 3000];
const quoter = parseAbi([
  'struct ExactInput { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(ExactInput params) returns (uint256 amountOut, uint160, uint32, uint256)',
]);

export async function feesOf(route: Route, amount: bigint): Promise<Fees> {
  const destinationGas = await inToken(route, FILL_COST);
  return { relayerCapital: shareOf(amount, CAPITAL_SHARE), destinationGas, lp: shareOf(amount, LP_SHARE) };
}

export async function limitsOf(route: Route): Promise<Limits> {
  const { destination, outputToken } = route;
  const [gas, maxDeposit] = await Promise.all([
    inToken(route, FILL_COST),
    destination.client.readContract({
      address: outputToken.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [RELAYER],
    }),
  ]);
  return { minDeposit: gas * GAS_PART, maxDeposit };
}

/** @throws AcrossApiError when the relayer would not fill such a deposit. */
export function checkLimits({ inputToken }: Route, amount: bigint, { minDeposit, maxDeposit }: Limits): void {
  if (amount > maxDeposit) {
    const maximum = `${formatUnits(maxDeposit, inputToken.decimals)} ${inputToken.symbol}`;
    throw acrossApiError('AMOUNT_TOO_HIGH', `Amount exceeds max. deposit limit: ${maximum}`);
  }
  if (amount < minDeposit) throw acrossApiError('AMOUNT_TOO_LOW', 'Sent amount is too low relative to fees');
}

/** A part of an amount, as the API's `pct`. */
export const pctOf = (part: bigint, amount: bigint): bigint => (part * WHOLE) / amount;

const shareOf = (amount: bigint, share: bigint): bigint => (amount * share + WHOLE - 1n) / WHOLE;

/** Wei in base units of the output token, by the pools of the destination. */
async function inToken({ destination, outputToken }: Route, wei: bigint): Promise<bigint> {
  if (isSameAddress(outputToken.address, CANONICAL.weth)) return wei;
  for (const fee of POOL_FEES) {
    const amount = await poolPrice(destination, { tokenOut: outputToken.address, amountIn: wei, fee });
    if (amount !== undefined) return amount;
  }
  throw acrossApiError('ROUTE_NOT_ENABLED', `There is no price of ${outputToken.symbol}`);
}

async function poolPrice(
  { client }: BridgedChain,
  { tokenOut, amountIn, fee }: { tokenOut: Address; amountIn: bigint; fee: number },
): Promise<bigint | undefined> {
  const params = { tokenIn: CANONICAL.weth, tokenOut, amountIn, fee, sqrtPriceLimitX96: 0n };
  try {
    const { result } = await client.simulateContract({
      address: CANONICAL.v3Quoter,
      abi: quoter,
      functionName: 'quoteExactInputSingle',
      args: [params],
    });
    return result[0];
  } catch {
    return undefined; // no such pool
  }
}
