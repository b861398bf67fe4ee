import { type Address, erc20Abi, type Hex, parseEventLogs, TransactionReceiptNotFoundError } from 'viem';
import type { BaseUnits } from '../../money/base-units';
import { toBaseUnits } from '../../money/base-units';
import type { Rpc } from '../../rpc/rpc';

export interface ArrivalQuestion {
  readonly chainId: number;
  readonly txHash: string;
  /** An ERC-20. */
  readonly token: string;
  readonly owner: string;
}

/**
 * What a mined transaction brought of a token to an account: 0 when it failed or brought nothing, `undefined` while the
 * chain does not have it.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function arrivedAt(
  rpc: Pick<Rpc, 'client'>,
  { chainId, txHash, token, owner }: ArrivalQuestion,
): Promise<BaseUnits | undefined> {
  const client = rpc.client(chainId);
  const receipt = await client.getTransactionReceipt({ hash: txHash as Hex }).catch((error: unknown) => {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw error;
  });
  if (receipt === undefined) return undefined;
  if (receipt.status !== 'success') return toBaseUnits(0n);
  const logs = receipt.logs.filter(({ address }) => address.toLowerCase() === token.toLowerCase());
  const moves = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs, args: { to: owner as Address } });
  return toBaseUnits(moves.reduce((sum, { args }) => sum + args.value, 0n));
}
