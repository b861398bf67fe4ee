import type { Logger } from 'pino';
import type { Hex } from 'viem';
import type { SignedTransaction } from '../persistence/service-transaction-store';
import type { Rpc } from './rpc';
import { nodeErrorOf } from './rpc-failure';

/** Messages of nodes about a transaction that they already have, or whose nonce is used. */
const ALREADY_SENT =
  /already known|already imported|known transaction|nonce too low|already exists|replacement transaction underpriced/i;

/** Sends a signed transaction. Failures are only logged: it is stored, and sent again until its nonce is used. */
export async function broadcast(
  { rpc, log }: { readonly rpc: Rpc; readonly log: Pick<Logger, 'warn'> },
  chainId: number,
  { raw, txHash }: SignedTransaction,
): Promise<void> {
  try {
    await rpc.client(chainId).sendRawTransaction({ serializedTransaction: raw as Hex });
  } catch (error) {
    const message = nodeErrorOf(error)?.message;
    if (message === undefined || !ALREADY_SENT.test(message)) {
      log.warn({ chainId, txHash, reason: message ?? 'no response' }, 'a transaction of the service could not be sent');
    }
  }
}
