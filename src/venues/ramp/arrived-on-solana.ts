import { type BaseUnits, toBaseUnits } from '../../money/base-units';
import type { SolanaRpc } from '../../rpc/solana/solana-rpc';
import type { ArrivalQuestion } from './arrived';

/**
 * What a confirmed transaction brought of a token to a wallet on Solana: 0 when it failed or brought nothing, `undefined`
 * while the chain does not have it.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function arrivedOnSolana(
  solana: Pick<SolanaRpc, 'transactions'>,
  { chainId, txHash, token, owner }: ArrivalQuestion,
  signal: AbortSignal,
): Promise<BaseUnits | undefined> {
  const question = { signatures: [txHash], commitment: 'confirmed' } as const;
  const [transaction] = await solana.transactions(chainId, question, signal);
  if (transaction === undefined) return undefined;
  if (transaction.error !== null) return toBaseUnits(0n);
  const own = transaction.tokens.filter((change) => change.mint === token && change.owner === owner);
  const arrived = own.reduce((sum, { before, after }) => sum + after - before, 0n);
  return toBaseUnits(arrived > 0n ? arrived : 0n);
}
