import { type Address, erc20Abi, type Hex } from 'viem';
import { NATIVE_TOKEN } from '../../../src/chains/addresses';
import { encodeSwap } from '../local-venues/encode-swap';
import { type PlannedSwap, planSwap } from '../local-venues/plan-swap';
import type { Control } from './control';
import { InputInvalid, type SwapParameters, tradedToken } from './parameters';

/** Beneficiary of manipulated quotes. */
const THIEF: Address = '0x7411ef7411ef7411ef7411ef7411ef7411ef7411';
const FEE_RECIPIENT: Address = '0xad01c20d5886137e056775af56915de824c8fce5';
const BPS = 10_000n;

interface PricedSwap {
  readonly plan: PlannedSwap;
  readonly buyAmount: bigint;
  readonly minBuyAmount: bigint;
  readonly fee: bigint;
}

export type BodyKind = 'price' | 'quote';

/** The body of both routes: `quote` names the transaction, `price` the gas alone. */
export async function swapBody(parameters: SwapParameters, control: Control, kind: BodyKind): Promise<object> {
  const priced = await priceSwap(parameters, control);
  if (priced === undefined) return { liquidityAvailable: false, zid: zid() };
  const { chain, taker } = parameters;
  const { gas, gasPrice } = await gasOf(parameters, priced);
  const common = {
    ...(await commonBody(parameters, priced, control)),
    totalNetworkFee: (gas * gasPrice).toString(),
  };
  if (kind === 'price') return { ...common, gas: gas.toString(), gasPrice: gasPrice.toString() };
  if (taker === undefined) throw new InputInvalid('taker', 'Required');
  const sent = parameters.sellToken === NATIVE_TOKEN ? parameters.sellAmount : 0n;
  const transaction = {
    to: lower(control.manipulate === 'target' ? THIEF : chain.uniswapV3.router),
    data: calldata(parameters, priced, control),
    gas: gas.toString(),
    gasPrice: gasPrice.toString(),
    value: (control.manipulate === 'value' ? sent + 10n ** 15n : sent).toString(),
  };
  return { ...common, transaction };
}

async function priceSwap(parameters: SwapParameters, control: Control): Promise<PricedSwap | undefined> {
  const { chain, sellToken, buyToken, sellAmount, slippageBps } = parameters;
  const [tokenIn, tokenOut] = [tradedToken(chain, sellToken), tradedToken(chain, buyToken)];
  if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) return undefined;
  const plan = await planSwap(chain, { tokenIn: tokenIn.address, tokenOut: tokenOut.address, amountIn: sellAmount });
  if (plan === undefined) return undefined;
  // The router rounds its fee down.
  const fee = (plan.amountOut * BigInt(control.feeBps)) / BPS;
  const buyAmount = ((plan.amountOut - fee) * (BPS - BigInt(control.worseBps))) / BPS;
  const minBuyAmount = (buyAmount * (BPS - slippageBps)) / BPS;
  return { plan, buyAmount, minBuyAmount, fee };
}

function calldata(
  { chain, buyToken, taker, recipient }: SwapParameters,
  { plan, minBuyAmount }: PricedSwap,
  control: Control,
): Hex {
  const receiver = recipient ?? taker ?? THIEF;
  return encodeSwap(plan, {
    recipient: control.manipulate === 'recipient' ? THIEF : receiver,
    minimum: minBuyAmount,
    unwraps: buyToken === NATIVE_TOKEN,
    tokenOut: tradedToken(chain, buyToken)?.address ?? buyToken,
    feeBps: BigInt(control.feeBps),
    feeRecipient: FEE_RECIPIENT,
  });
}

/** Gas of a swap over one pool; each further pool takes as much again. */
const GAS = { base: 110_000n, pool: 120_000n };

async function gasOf({ chain }: SwapParameters, { plan }: PricedSwap) {
  const pools = plan.legs.reduce((sum, { path }) => sum + path.tokens.length - 1, 0);
  return { gas: GAS.base + GAS.pool * BigInt(pools), gasPrice: await chain.client.getGasPrice() };
}

async function commonBody(parameters: SwapParameters, priced: PricedSwap, control: Control): Promise<object> {
  const { chain, sellToken, buyToken, sellAmount } = parameters;
  const holder = lower(control.manipulate === 'spender' ? THIEF : chain.uniswapV3.router);
  const issues = await issuesOf(parameters, holder);
  const noTax = { buyTaxBps: '0', sellTaxBps: '0' };
  return {
    allowanceTarget: sellToken === NATIVE_TOKEN ? null : holder,
    blockNumber: (await chain.client.getBlockNumber()).toString(),
    buyAmount: priced.buyAmount.toString(),
    buyToken: lower(buyToken),
    fees: {
      integratorFee: null,
      integratorFees: null,
      zeroExFee: priced.fee === 0n ? null : { amount: priced.fee.toString(), token: lower(buyToken), type: 'volume' },
      gasFee: null,
    },
    issues,
    liquidityAvailable: true,
    minBuyAmount: priced.minBuyAmount.toString(),
    route: routeOf(parameters, priced.plan),
    sellAmount: sellAmount.toString(),
    sellToken: lower(sellToken),
    tokenMetadata: { buyToken: noTax, sellToken: noTax },
    zid: zid(),
  };
}

function routeOf({ chain }: SwapParameters, { legs, amountIn }: PlannedSwap): object {
  const fills = legs.flatMap(({ path, amountIn: part }) =>
    path.tokens.slice(1).map((token, hop) => ({
      from: lower(path.tokens[hop] ?? token),
      to: lower(token),
      source: path.venue === 'v2' ? 'Uniswap_V2' : 'Uniswap_V3',
      proportionBps: ((part * BPS) / amountIn).toString(),
    })),
  );
  const passed = new Set(fills.flatMap(({ from, to }) => [from, to]));
  const tokens = chain.tokens.filter(({ address }) => passed.has(lower(address)));
  return { fills, tokens: tokens.map(({ address, symbol }) => ({ address: lower(address), symbol })) };
}

async function issuesOf({ chain, sellToken, sellAmount, taker }: SwapParameters, spender: string): Promise<object> {
  const none = { allowance: null, balance: null, simulationIncomplete: false, invalidSourcesPassed: [] };
  const actualOf = { address: sellToken, abi: erc20Abi } as const;
  if (sellToken === NATIVE_TOKEN) return none;
  if (taker === undefined) return { ...none, allowance: { actual: '0', spender } };
  const [allowed, balance] = await Promise.all([
    chain.client.readContract({ ...actualOf, functionName: 'allowance', args: [taker, spender as Address] }),
    chain.client.readContract({ ...actualOf, functionName: 'balanceOf', args: [taker] }),
  ]);
  const lacking = { token: lower(sellToken), actual: balance.toString(), expected: sellAmount.toString() };
  return {
    ...none,
    allowance: allowed >= sellAmount ? null : { actual: allowed.toString(), spender },
    balance: balance >= sellAmount ? null : lacking,
  };
}

const lower = (address: string): string => address.toLowerCase();

let requestCount = 0;
/** 0x's id of the request. */
const zid = (): string => `0x${(requestCount += 1).toString(16).padStart(24, '0')}`;
