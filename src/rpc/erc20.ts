import { type Address, erc20Abi, multicall3Abi } from 'viem';
import { isNativeToken } from '../chains/addresses';
import { contractRead } from './contract-read';
import { MULTICALL3, type ReadOptions } from './multicall';
import type { Rpc } from './rpc';

/** The balance of `owner` to read, and with `spender` the allowance too. */
export interface HoldingRequest {
  /** An ERC-20, or the native coin in either spelling. */
  readonly token: string;
  readonly owner: string;
  readonly spender?: string | undefined;
}

export interface BalanceAndAllowance {
  /** Base units. `undefined` when the contract is not a token. */
  readonly balance: bigint | undefined;
  /** Base units. `undefined` without a spender and for the native coin, which needs no allowance. */
  readonly allowance: bigint | undefined;
}

/** Reads balances and allowances of one block in one eth_call, in the order of the requests. @throws PROVIDER_UNAVAILABLE */
export async function readHoldings(
  { rpc, chainId }: { readonly rpc: Pick<Rpc, 'multicall'>; readonly chainId: number },
  requests: readonly HoldingRequest[],
  options: ReadOptions = {},
): Promise<readonly BalanceAndAllowance[]> {
  const results = await rpc.multicall(chainId, [...requests.map(balanceRead), ...requests.map(allowanceRead)], options);
  return requests.map(({ token, spender }, index) => {
    const allowance = isNativeToken(token) ? undefined : results[requests.length + index];
    return { balance: results[index], allowance: spender === undefined ? undefined : allowance };
  });
}

/** Balance of an ERC-20 or of the native coin, in base units. */
export function balanceRead({ token, owner }: Pick<HoldingRequest, 'token' | 'owner'>) {
  return isNativeToken(token)
    ? contractRead({ address: MULTICALL3, abi: multicall3Abi, functionName: 'getEthBalance', args: [owner as Address] })
    : contractRead({ address: token as Address, abi: erc20Abi, functionName: 'balanceOf', args: [owner as Address] });
}

function allowanceRead({ token, owner, spender }: HoldingRequest) {
  // Without a spender the read is superfluous, but keeps both lists of the same length.
  const args = [owner as Address, (spender ?? owner) as Address] as const;
  return contractRead({ address: token as Address, abi: erc20Abi, functionName: 'allowance', args });
}
