import { encodeFunctionData, erc20Abi, type Hex, maxUint256, zeroAddress } from 'viem';
import type { Address } from 'viem';
import type { BridgedToken } from './bridged-chain';
import type { RouteParameters } from './parameters';
import { type Fees, pctOf } from './quoting';

/** Everything that the body of `GET /swap/approval` is made of. Amounts in base units. */
export interface SwapApproval {
  readonly route: RouteParameters;
  readonly amount: bigint;
  readonly outputAmount: bigint;
  readonly fees: Fees;
  readonly funds: { readonly allowance: bigint; readonly balance: bigint };
  readonly transaction: {
    readonly chainId: number;
    readonly to: Address;
    readonly data: Hex;
    readonly value: bigint | undefined;
  };
  readonly gas: bigint | undefined;
  readonly fillSeconds: number;
  /** Unix seconds until which the deposit is taken. */
  readonly expiry: bigint;
}

const NATIVE = { address: zeroAddress, symbol: 'ETH', decimals: 18 };
const GAS_PRICE = 2n * 10n ** 9n;

/** The body, with amounts as decimal text: what the API's own BigNumbers become. */
export function swapBody({ route, ...approval }: SwapApproval): object {
  const { origin, destination } = route;
  const input = { ...route.inputToken, chainId: origin.chainId };
  const output = { ...route.outputToken, chainId: destination.chainId };
  const sold = route.isInputNative ? zeroAddress : route.inputToken.address;
  return {
    crossSwapType: 'bridgeableToBridgeable',
    amountType: 'exactInput',
    checks: checks(sold, approval),
    approvalTxns: approvals(route.inputToken, approval),
    steps: {
      bridge: {
        inputAmount: approval.amount.toString(),
        outputAmount: approval.outputAmount.toString(),
        tokenIn: input,
        tokenOut: output,
        fees: feeBody(approval, input),
        provider: 'across',
      },
    },
    inputToken: route.isInputNative ? { ...NATIVE, chainId: origin.chainId } : input,
    outputToken: route.isOutputNative ? { ...NATIVE, chainId: destination.chainId } : output,
    refundToken: input,
    inputAmount: approval.amount.toString(),
    maxInputAmount: approval.amount.toString(),
    expectedOutputAmount: approval.outputAmount.toString(),
    minOutputAmount: approval.outputAmount.toString(),
    expectedFillTime: approval.fillSeconds,
    swapTx: transactionBody(approval),
    quoteExpiryTimestamp: Number.parseInt(approval.expiry.toString(), 10),
  };
}

type Terms = Omit<SwapApproval, 'route'>;

const checks = (token: Address, { amount, funds, transaction }: Terms) => ({
  allowance: {
    token,
    spender: transaction.to,
    actual: funds.allowance.toString(),
    expected: amount.toString(),
  },
  balance: { token, actual: funds.balance.toString(), expected: amount.toString() },
});

/** Undefined when the allowance suffices. The API requests an unlimited approval. */
function approvals({ address }: BridgedToken, { funds, amount, transaction }: Terms) {
  if (funds.allowance >= amount) return undefined;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [transaction.to, maxUint256] });
  return [{ chainId: transaction.chainId, to: address, data }];
}

function feeBody({ amount, fees }: Terms, token: object): object {
  const fee = (part: bigint) => ({ amount: part.toString(), pct: pctOf(part, amount).toString(), token });
  const { relayerCapital, destinationGas, lp } = fees;
  return {
    ...fee(relayerCapital + destinationGas + lp),
    details: {
      type: 'across',
      relayerCapital: fee(relayerCapital),
      destinationGas: fee(destinationGas),
      lp: fee(lp),
    },
  };
}

const transactionBody = ({ transaction: { value, ...transaction }, gas }: Terms) => ({
  ecosystem: 'evm',
  simulationSuccess: gas !== undefined,
  ...transaction,
  ...(value === undefined ? {} : { value: value.toString() }),
  ...(gas === undefined ? {} : { gas: gas.toString(), maxFeePerGas: GAS_PRICE.toString() }),
});
