import { type Address, erc20Abi, multicall3Abi } from 'viem';
import { isNativeToken } from '../chains/addresses';
import { contractRead } from './contract-read';
import { MULTICALL3, type ReadOptions } from './multicall';
import type { Rpc } from './rpc';

/** What to look up: the balance of `owner`, and with `spender` how much that may take. */
export interface HoldingQuestion {
  /** An ERC-20, or the native coin in either spelling. */
  readonly token: string;
  readonly owner: string;
  readonly spender?: string | undefined;
}

export interface Holding {
  /** Base units. `undefined` when the contract is not a token. */
  readonly balance: bigint | undefined;
  /** Base units; `undefined` when no spender was named. The native coin needs no allowance. */
  readonly allowance: bigint | undefined;
}

/** Balances and allowances of one block, in one eth_call, in the order asked. @throws PROVIDER_UNAVAILABLE */
export async function readHoldings(
  { rpc, chainId }: { readonly rpc: Pick<Rpc, 'multicall'>; readonly chainId: number },
  questions: readonly HoldingQuestion[],
  options: ReadOptions = {},
): Promise<readonly Holding[]> {
  const answers = await rpc.multicall(
    chainId,
    [...questions.map(balanceRead), ...questions.map(allowanceRead)],
    options,
  );
  return questions.map(({ token, spender }, index) => {
    const allowance = isNativeToken(token) ? undefined : answers[questions.length + index];
    return { balance: answers[index], allowance: spender === undefined ? undefined : allowance };
  });
}

/** Balance of an ERC-20 or of the native coin, in base units. */
export function balanceRead({ token, owner }: Pick<HoldingQuestion, 'token' | 'owner'>) {
  return isNativeToken(token)
    ? contractRead({ address: MULTICALL3, abi: multicall3Abi, functionName: 'getEthBalance', args: [owner as Address] })
    : contractRead({ address: token as Address, abi: erc20Abi, functionName: 'balanceOf', args: [owner as Address] });
}

function allowanceRead({ token, owner, spender }: HoldingQuestion) {
  // Asking nobody's allowance costs less than aligning two lists of different lengths.
  const args = [owner as Address, (spender ?? owner) as Address] as const;
  return contractRead({ address: token as Address, abi: erc20Abi, functionName: 'allowance', args });
}
