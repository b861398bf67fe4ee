import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { SignedTransaction } from '../persistence/service-transaction-store';
import type { Rpc } from './rpc';
import { nodeErrorOf } from './rpc-failure';

/** What nodes say of a transaction that they have already, or whose nonce is used up. */
const KNOWN =
  /already known|already imported|known transaction|nonce too low|already exists|replacement transaction underpriced/i;

/**
 * Gives a signed transaction to the chain. What goes wrong is logged and nothing more: the transaction is written down,
 * and is sent again until its nonce is used up.
 */
export async function broadcast(
  { rpc, log }: { readonly rpc: Rpc; readonly log: Pick<Logger, 'warn'> },
  chainId: number,
  { raw, txHash }: SignedTransaction,
): Promise<void> {
  try {
    await rpc.client(chainId).sendRawTransaction({ serializedTransaction: raw as Hex });
  } catch (error) {
    const message = nodeErrorOf(error)?.message;
    if (message === undefined || !KNOWN.test(message)) {
      log.warn({ chainId, txHash, reason: message ?? 'no response' }, 'a transaction of the service could not be sent');
    }
  }
}
