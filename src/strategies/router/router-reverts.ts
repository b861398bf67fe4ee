import { decodeErrorResult, type Hex } from 'viem';
import { ROUTER_ABI } from './router-abi';

/** Recipient of the fee whose transfer the token refuses; `undefined` for a revert with another reason. */
export function refusedRecipient(data: Hex): string | undefined {
  const error = routerError(data);
  return error?.errorName === 'FeeRefused' ? error.args[0] : undefined;
}

/** True when the tokens move other amounts than the router accepts, as tokens do that take a fee on transfers. */
export function isUnfit(data: Hex): boolean {
  const name = routerError(data)?.errorName;
  return name === 'UnexpectedAmount' || name === 'BalanceChanged';
}

function routerError(data: Hex) {
  try {
    return decodeErrorResult({ abi: ROUTER_ABI, data });
  } catch {
    return undefined; // an error of the protocol or of a token
  }
}
