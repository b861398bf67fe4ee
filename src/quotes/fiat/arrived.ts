import {
  type Address,
  erc20Abi,
  type Hex,
  parseEventLogs,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import type { Chain } from '../../chains/chain';
import type { BaseUnits } from '../../money/base-units';
import { toBaseUnits } from '../../money/base-units';
import type { Rpc } from '../../rpc/rpc';
import { isFinal, readReceipt } from '../../rpc/search-logs';

interface TokenArrival {
  readonly txHash: string;
  /** An ERC-20. */
  readonly token: string;
  readonly owner: string;
}

export interface ArrivalQuestion extends TokenArrival {
  readonly chainId: number;
}

/**
 * What a mined transaction brought of a token to an account: 0 when it failed or brought nothing, `undefined` while the
 * chain does not have it.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function arrivedAt(
  rpc: Pick<Rpc, 'client'>,
  { chainId, ...question }: ArrivalQuestion,
): Promise<BaseUnits | undefined> {
  const client = rpc.client(chainId);
  const receipt = await client.getTransactionReceipt({ hash: question.txHash as Hex }).catch((error: unknown) => {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  });
  return receipt === undefined ? undefined : broughtBy(receipt, question);
}

export interface SettledQuestion extends TokenArrival {
  readonly chain: Pick<Chain, 'chainId' | 'confirmations'>;
}

/**
 * The same of a transaction that is final: what it brought may be passed on. `undefined` until it is.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function settledAt(
  rpc: Pick<Rpc, 'ask'>,
  { chain, ...question }: SettledQuestion,
): Promise<BaseUnits | undefined> {
  const receipt = await readReceipt(rpc, { chainId: chain.chainId, txHash: question.txHash });
  if (receipt === undefined || !(await isFinal(rpc, { chain, blockNumber: receipt.blockNumber }))) return undefined;
  return broughtBy(receipt, question);
}

function broughtBy(receipt: TransactionReceipt, { token, owner }: TokenArrival): BaseUnits {
  if (receipt.status !== 'success') return toBaseUnits(0n);
  const logs = receipt.logs.filter(({ address }) => address.toLowerCase() === token.toLowerCase());
  const moves = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs, args: { to: owner as Address } });
  return toBaseUnits(moves.reduce((sum, { args }) => sum + args.value, 0n));
}
