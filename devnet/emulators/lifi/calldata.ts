import { type Address, encodeFunctionData, type Hex, keccak256, stringToHex, zeroAddress } from 'viem';
import { encodeSwap } from '../local-venues/encode-swap';
import { diamondAbi } from './diamond';
import type { TransferParameters } from './parameters';
import type { PricedTransfer } from './price-transfer';

/** The call of the contract that carries a transfer out, paid to `receiver`. */
export function calldataOf(parameters: TransferParameters, priced: PricedTransfer, receiver: Address): Hex {
  const { from, to, fromToken, toToken, fromAmount } = parameters;
  const { fee, relayFee, messageFee, toAmountMin } = priced;
  const step = stepOf(parameters, priced);
  const order = {
    transactionId: transactionIdOf(parameters, priced),
    tokenIn: fromToken.address,
    amountIn: fromAmount,
    fee,
    receiver,
    minimum: toAmountMin,
  };
  if (from === to) return encodeFunctionData({ abi: diamondAbi, functionName: 'swap', args: [order, step] });
  const bridge = { destinationChainId: BigInt(to.chainId), tokenOut: toToken.address, relayFee, messageFee };
  return encodeFunctionData({ abi: diamondAbi, functionName: 'bridge', args: [order, step, bridge] });
}

function stepOf({ from }: TransferParameters, { swap }: PricedTransfer) {
  if (swap === undefined) return { router: zeroAddress, data: '0x' as const, tokenOut: zeroAddress };
  const { plan, bought } = swap;
  const data = encodeSwap(plan, {
    recipient: from.diamond,
    // The contract checks the minimum of the order itself, so that a revert has its reason and not that of the router.
    minimum: 0n,
    unwraps: bought.address === zeroAddress,
    tokenOut: bought.address,
    feeBps: 0n,
    feeRecipient: zeroAddress,
  });
  return { router: from.uniswapV3.router, data, tokenOut: bought.address };
}

/** Derived from the request, so that equal requests get equal ids while prices do not change. */
export function transactionIdOf(parameters: TransferParameters, { toAmount, tool }: PricedTransfer): Hex {
  const { from, to, fromToken, toToken, fromAmount, fromAddress, toAddress } = parameters;
  const parts = [from.chainId, to.chainId, fromToken.address, toToken.address, fromAmount, fromAddress, toAddress];
  return keccak256(stringToHex([...parts, toAmount, tool.key].map(String).join()));
}
