import { type Address, formatUnits, type Hex, numberToHex } from 'viem';
import { ZERO_ADDRESS } from '../../../src/chains/addresses';
import type { VenueToken } from '../local-venues/venue-chain';
import type { BridgedChain } from './bridged-chain';
import { calldataOf, transactionIdOf } from './calldata';
import type { Control } from './control';
import type { TransferParameters } from './parameters';
import { type PricedTransfer, priceTransfer, type Tool } from './price-transfer';

/** Beneficiary of manipulated quotes. */
const THIEF: Address = '0x7411ef7411ef7411ef7411ef7411ef7411ef7411';

/** What tokens cost, in dollars, for display. */
const PRICES: Readonly<Record<string, number>> = { ETH: 3000, WETH: 3000, WBTC: 90_000, BRLA: 0.185 };

const GAS = { base: 300_000n, pool: 130_000n };
const SECONDS = { within: 5, between: 20 };

/** The body of `GET /v1/quote`. @throws ApiError */
export async function stepBody(parameters: TransferParameters, control: Control): Promise<object> {
  const { from, to, fromToken, toToken } = parameters;
  const priced = await priceTransfer(parameters, control);
  const gas = GAS.base + GAS.pool * BigInt(priced.swap?.plan.legs.length ?? 0) * 2n;
  const gasPrice = await from.client.getGasPrice();
  const transactionId = transactionIdOf(parameters, priced);
  const { fee, tool } = priced;
  const own = amounts({ fromAmount: parameters.fromAmount, ...priced });
  const ends = { action: actionOf(parameters), ends: [fromToken, toToken] as const };
  return {
    type: 'lifi',
    id: transactionId,
    tool: tool.key,
    toolDetails: detailsOf(tool),
    integrator: 'lifi-api',
    action: ends.action,
    estimate: {
      tool: tool.key,
      approvalAddress: control.manipulate === 'spender' ? THIEF : from.diamond,
      ...own,
      feeCosts: feeCostsOf(parameters, priced),
      gasCosts: [gasCostOf(from, { gas, gasPrice })],
      executionDuration: from === to ? SECONDS.within : SECONDS.between,
      fromAmountUSD: inDollars(fromToken, parameters.fromAmount),
      toAmountUSD: inDollars(toToken, priced.toAmount),
    },
    includedSteps: includedSteps(parameters, priced, fee),
    transactionRequest: transactionOf(parameters, priced, { control, gas, gasPrice }),
    transactionId,
  };
}

interface Sending {
  readonly control: Control;
  readonly gas: bigint;
  readonly gasPrice: bigint;
}

function transactionOf(parameters: TransferParameters, priced: PricedTransfer, { control, gas, gasPrice }: Sending) {
  const { from, fromToken, fromAmount, fromAddress, toAddress } = parameters;
  const sold = fromToken.address === ZERO_ADDRESS ? fromAmount : 0n;
  const extra = control.manipulate === 'value' ? 10n ** 15n : 0n;
  return {
    value: numberToHex(sold + priced.messageFee + extra),
    to: control.manipulate === 'target' ? THIEF : from.diamond,
    data: calldataOf(parameters, priced, control.manipulate === 'recipient' ? THIEF : toAddress) satisfies Hex,
    from: fromAddress,
    chainId: from.chainId,
    gasPrice: numberToHex(gasPrice),
    gasLimit: numberToHex(gas),
  };
}

const amounts = ({
  fromAmount,
  toAmount,
  toAmountMin,
}: {
  fromAmount: bigint;
  toAmount: bigint;
  toAmountMin: bigint;
}) => ({
  fromAmount: fromAmount.toString(),
  toAmount: toAmount.toString(),
  toAmountMin: toAmountMin.toString(),
});

function actionOf({ from, to, fromToken, toToken, fromAmount, ...rest }: TransferParameters) {
  return {
    fromToken: tokenBody(from, fromToken),
    fromAmount: fromAmount.toString(),
    toToken: tokenBody(to, toToken),
    fromChainId: from.chainId,
    toChainId: to.chainId,
    slippage: Number.parseInt(rest.slippage.toString(), 10) / 1_000_000,
    fromAddress: rest.fromAddress,
    toAddress: rest.toAddress,
  };
}

const detailsOf = ({ key, name }: Tool) => ({ key, name, logoURI: `https://localhost/icons/${key}.svg` });

export function tokenBody({ chainId }: BridgedChain, { address, symbol, name, decimals }: VenueToken) {
  const priceUSD = String(PRICES[symbol] ?? 1);
  return { address, chainId, symbol, decimals, name, coinKey: symbol, logoURI: null, priceUSD };
}

const inDollars = ({ symbol, decimals }: VenueToken, amount: bigint): string =>
  (Number.parseFloat(formatUnits(amount, decimals)) * (PRICES[symbol] ?? 1)).toFixed(4);

function feeCostsOf({ from, to, fromToken, toToken }: TransferParameters, priced: PricedTransfer): readonly object[] {
  const { fee, relayFee, messageFee } = priced;
  const cost = (name: string, [chain, token]: readonly [BridgedChain, VenueToken], amount: bigint) => ({
    name,
    description: name,
    token: tokenBody(chain, token),
    amount: amount.toString(),
    amountUSD: inDollars(token, amount),
    percentage: '0.0025',
    included: true,
  });
  const coin = from.tokenAt(ZERO_ADDRESS) ?? fromToken;
  return [
    cost('LIFI Fixed Fee', [from, fromToken], fee),
    ...(relayFee === 0n ? [] : [cost('Relayer Fee', [to, toToken], relayFee)]),
    ...(messageFee === 0n ? [] : [{ ...cost('LayerZero Fee', [from, coin], messageFee), included: false }]),
  ];
}

function gasCostOf(chain: BridgedChain, { gas, gasPrice }: Omit<Sending, 'control'>) {
  const coin = chain.tokenAt(ZERO_ADDRESS);
  return {
    type: 'SEND',
    price: gasPrice.toString(),
    estimate: gas.toString(),
    limit: ((gas * 5n) / 4n).toString(),
    amount: (gas * gasPrice).toString(),
    token: coin === undefined ? undefined : tokenBody(chain, coin),
  };
}

/** The fee, the swap, and the way to the other chain, as far as there are. */
function includedSteps(parameters: TransferParameters, priced: PricedTransfer, fee: bigint): readonly object[] {
  const { from, to, fromToken, toToken, fromAmount } = parameters;
  const left = fromAmount - fee;
  const step = (kind: { type: string; tool: Tool }, part: Partial<TransferParameters>, outcome: bigint) => {
    const action = { ...parameters, ...part };
    const toAmountMin = (outcome * (1_000_000n - parameters.slippage)) / 1_000_000n;
    return {
      id: `${priced.tool.key}-${kind.type}`,
      type: kind.type,
      tool: kind.tool.key,
      toolDetails: detailsOf(kind.tool),
      action: actionOf(action),
      estimate: { tool: kind.tool.key, ...amounts({ fromAmount: action.fromAmount, toAmount: outcome, toAmountMin }) },
    };
  };
  const { swap, tool } = priced;
  const bridged = swap?.bought ?? fromToken;
  const arriving = swap?.plan.amountOut ?? left;
  const exchange = { key: 'uniswap', name: 'Uniswap' };
  return [
    step(
      { type: 'protocol', tool: { key: 'feeCollection', name: 'Integrator Fees' } },
      { to: from, toToken: fromToken },
      left,
    ),
    ...(swap === undefined
      ? []
      : [step({ type: 'swap', tool: exchange }, { to: from, toToken: bridged, fromAmount: left }, arriving)]),
    ...(from === to
      ? []
      : [step({ type: 'cross', tool }, { fromToken: bridged, toToken, fromAmount: arriving }, priced.toAmount)]),
  ];
}
