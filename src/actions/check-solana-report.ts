import { isSolanaSignature } from '../chains/solana-signature';
import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import type { SolanaRpc } from '../rpc/solana/solana-rpc';
import type { ActionRow } from './action-row';
import type { ActionDeps } from './list-actions';

export interface SolanaReportDeps extends ActionDeps {
  /** Absent when no Solana chain is served. */
  readonly solana?: Pick<SolanaRpc, 'serves' | 'transactions' | 'signaturesOf' | 'signatureStatuses'> | undefined;
}

/**
 * Checks a Solana transaction that a caller reports as the execution of an action. Stores nothing: the tracker finds the
 * transaction by the reference account of the action as soon as it is confirmed.
 *
 * @throws INVALID_TX_HASH, TX_NOT_FOUND, TX_NOT_MINED, TX_REVERTED, VALIDATION_ERROR when it does not name the reference,
 * PROVIDER_UNAVAILABLE
 */
export async function checkSolanaReport(deps: SolanaReportDeps, row: ActionRow, signature: string): Promise<void> {
  const { solana, database, chains } = deps;
  const { id: actionId, chainIdIn: chainId } = row;
  if (!isSolanaSignature(signature)) throw serviceError('INVALID_TX_HASH');
  if (row.steps.some(({ txHash }) => txHash === signature)) return;
  if (solana?.serves(chainId) !== true)
    throw rejected('cannot be checked: the chain is not supported by this deployment');
  const [landed] = await solana.transactions(chainId, { signatures: [signature], commitment: 'confirmed' });
  if (landed === undefined) {
    const [status] = await solana.signatureStatuses(chainId, [signature]);
    if (status !== undefined) throw serviceError('TX_NOT_MINED', { txHash: signature });
    throw serviceError('TX_NOT_FOUND', { txHash: signature, chain: chains.get(chainId).slug });
  }
  const calls = await database.actionCall.findMany({ where: { actionId, chainId, form: 'REFERENCE' } });
  const naming = await solana.signaturesOf(
    chainId,
    calls.map(({ target }) => target),
  );
  const isNamed = naming.some((seen) => seen.some((each) => each.signature === signature));
  if (!isNamed) throw rejected('does not execute this action');
  if (landed.error !== null) throw serviceError('TX_REVERTED', { txHash: signature });
}

const rejected = (message: string) => validationError([{ path: 'txHash', message }]);
