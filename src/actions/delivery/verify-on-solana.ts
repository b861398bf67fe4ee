import type { LandedTransaction } from '../../rpc/solana/landed-transaction';
import { receivedOnSolana } from '../amounts/moved-on-solana';
import type { DeliveryDeps } from './delivery-deps';
import {
  type ClaimedTransactionRef,
  type ClaimedTransaction,
  type OnchainResult,
  verifyOnChain,
} from './onchain-check';
import { LESS_ARRIVED, otherTokenArrived } from './verify-on-evm';
import type { TransferAction } from './transfer-action';

type VerificationDeps = Pick<DeliveryDeps, 'database' | 'solana'>;

/** Like `verifyEvmDelivery`, on a Solana chain. @throws PROVIDER_UNAVAILABLE */
export async function verifySolanaDelivery(
  deps: VerificationDeps,
  transfer: TransferAction,
  claim: ClaimedTransactionRef & { readonly partial: boolean },
): Promise<OnchainResult> {
  const { receiverAddress: owner, tokenOut: token } = transfer;
  return verifyOnChain(transfer, await findClaimed(deps, claim, transfer.actionId), (landed) => {
    const amount = receivedOnSolana(landed, { token, owner });
    if (!claim.partial) return amount === undefined ? undefined : { amount, flaw: undefined };
    const other = findOtherToken(landed, { token, owner });
    if (other === undefined) return amount === undefined ? undefined : { amount, flaw: LESS_ARRIVED };
    return { amount, flaw: otherTokenArrived(other.amount, `the token ${other.mint}`) };
  });
}

/** Like `verifyEvmRefund`, on a Solana chain. @throws PROVIDER_UNAVAILABLE */
export async function verifySolanaRefund(
  deps: VerificationDeps,
  transfer: TransferAction,
  claim: ClaimedTransactionRef & { readonly token?: string | undefined },
): Promise<OnchainResult> {
  const { refundAddress = transfer.originAddress, originAddress, receiverAddress, tokenIn, chainIdIn } = transfer;
  const token = claim.token ?? tokenIn;
  const isUnnamed = claim.token === undefined && claim.chainId !== chainIdIn;
  const owners = [refundAddress, originAddress, ...(claim.token === undefined ? [] : [receiverAddress])];
  return verifyOnChain(transfer, await findClaimed(deps, claim, transfer.actionId), (landed) => {
    for (const owner of owners) {
      const anyToken = isUnnamed ? findOtherToken(landed, { token, owner }) : undefined;
      if (anyToken !== undefined) {
        const { mint, amount } = anyToken;
        return { amount: undefined, flaw: undefined, returned: { token: mint, amount, owner } };
      }
      const amount = receivedOnSolana(landed, { token, owner });
      if (amount !== undefined) return { amount, flaw: undefined, returned: { token, amount, owner } };
    }
    return undefined;
  });
}

/** A token other than the given one that a transaction moved to a wallet. */
function findOtherToken(
  { tokens }: LandedTransaction,
  { token, owner }: { readonly token: string; readonly owner: string },
) {
  const change = tokens.find(
    ({ mint, owner: holder, before, after }) => mint !== token && holder === owner && after > before,
  );
  return change === undefined ? undefined : { mint: change.mint, amount: change.after - change.before };
}

async function findClaimed(
  { database, solana }: VerificationDeps,
  { chainId, txHash }: ClaimedTransactionRef,
  actionId: string,
): Promise<ClaimedTransaction<LandedTransaction> | undefined> {
  const signatures = [txHash];
  const [landed] = await solana.transactions(chainId, { signatures, commitment: 'confirmed' });
  if (landed === undefined) return undefined;
  const seconds = landed.blockTime ?? Math.floor(Date.now() / 1000);
  return {
    failure: landed.error === null ? undefined : 'the transaction failed',
    readBlock: () =>
      Promise.resolve({ number: BigInt(landed.slot), hash: landed.signature, timestamp: BigInt(seconds) }),
    // A transaction that names the reference of another action executes that action.
    async executesAnotherAction() {
      const target = { in: [...landed.lamports.keys()] };
      const where = { chainId, form: 'REFERENCE', target, actionId: { not: actionId } };
      return (await database.actionCall.findFirst({ where, select: { id: true } })) !== null;
    },
    readMovements: () => Promise.resolve(landed),
    async isFinal() {
      const [final] = await solana.transactions(chainId, { signatures, commitment: 'finalized' });
      return final !== undefined;
    },
  };
}
