import type { LandedTransaction } from '../../rpc/solana/landed-transaction';
import { receivedOnSolana } from '../amounts/moved-on-solana';
import type { SeenReturn } from './refunded-amount';
import type { DeliveryDeps } from './delivery-deps';
import type { Claim, Proof } from './prove-transaction';
import type { Transfer } from './transfer-action';

type ProofDeps = Pick<DeliveryDeps, 'database' | 'solana'>;

/** Chains have clocks of their own: a transaction may seem older than the action by this much. */
const CLOCK_SKEW_SECONDS = 600;

interface Arrival {
  readonly amount: bigint | undefined;
  readonly flaw: string | undefined;
  /** Of refunds, whatever it was. */
  readonly seen?: SeenReturn | undefined;
}

/** As `proveDelivery`, on a Solana chain. @throws PROVIDER_UNAVAILABLE */
export function proveSolanaDelivery(
  deps: ProofDeps,
  transfer: Transfer,
  claim: Claim & { readonly partial: boolean },
): Promise<Proof> {
  const { receiverAddress: owner, tokenOut: token } = transfer;
  return prove(deps, { transfer, claim }, (landed) => {
    const amount = receivedOnSolana(landed, { token, owner });
    if (!claim.partial) return amount === undefined ? undefined : { amount, flaw: undefined };
    const other = arrivedElsewise(landed, { token, owner });
    if (other === undefined) return amount === undefined ? undefined : { amount, flaw: 'Less arrived than was bought' };
    const told = `${other.amount.toString()} base units of the token ${other.mint}`;
    return { amount, flaw: `Something else arrived than was bought: ${told}` };
  });
}

/** As `proveRefund`, on a Solana chain. @throws PROVIDER_UNAVAILABLE */
export function proveSolanaRefund(
  deps: ProofDeps,
  transfer: Transfer,
  claim: Claim & { readonly token?: string | undefined },
): Promise<Proof> {
  const { refundAddress = transfer.originAddress, originAddress, receiverAddress, tokenIn, chainIdIn } = transfer;
  const token = claim.token ?? tokenIn;
  const isElsewhere = claim.token === undefined && claim.chainId !== chainIdIn;
  const owners = [refundAddress, originAddress, ...(claim.token === undefined ? [] : [receiverAddress])];
  return prove(deps, { transfer, claim }, (landed) => {
    for (const owner of owners) {
      // On another chain than the origin's nobody has named the token that stands for what was sold.
      const anything = isElsewhere ? arrivedElsewise(landed, { token, owner }) : undefined;
      if (anything !== undefined) {
        const { mint, amount } = anything;
        return { amount: undefined, flaw: undefined, seen: { token: mint, amount, owner } };
      }
      const amount = receivedOnSolana(landed, { token, owner });
      if (amount !== undefined) return { amount, flaw: undefined, seen: { token, amount, owner } };
    }
    return undefined;
  });
}

interface Holding {
  readonly token: string;
  readonly owner: string;
}

/** What else than the token a transaction brought to a wallet. */
function arrivedElsewise({ tokens }: LandedTransaction, { token, owner }: Holding) {
  const change = tokens.find(
    ({ mint, owner: whose, before, after }) => mint !== token && whose === owner && after > before,
  );
  return change === undefined ? undefined : { mint: change.mint, amount: change.after - change.before };
}

interface Question {
  readonly transfer: Transfer;
  readonly claim: Claim;
}

async function prove(
  deps: ProofDeps,
  { transfer, claim }: Question,
  arrivalOf: (landed: LandedTransaction) => Arrival | undefined,
): Promise<Proof> {
  const { chainId, txHash } = claim;
  const [landed] = await deps.solana.transactions(chainId, { signatures: [txHash], commitment: 'confirmed' });
  if (landed === undefined) return unproven('the chain does not have the transaction');
  if (landed.error !== null) return unproven('the transaction failed');
  const seconds = landed.blockTime ?? Math.floor(Date.now() / 1000);
  if (seconds + CLOCK_SKEW_SECONDS < transfer.createdAt.getTime() / 1000)
    return unproven('the transaction is older than the action');
  if (await carriesOutAnother(deps, { transfer, claim }, landed))
    return unproven('the transaction executes another action');
  const arrival = arrivalOf(landed);
  if (arrival === undefined) return unproven('the transaction did not bring what it is said to have brought');
  const [final] = await deps.solana.transactions(chainId, { signatures: [txHash], commitment: 'finalized' });
  const block = { number: BigInt(landed.slot), hash: landed.signature, timestamp: BigInt(seconds) };
  return { proven: true, block, final: final !== undefined, ...arrival };
}

const unproven = (reason: string): Proof => ({ proven: false, reason });

/** True when the transaction names the reference of another action: it carries out that, and delivers nothing. */
async function carriesOutAnother(
  { database }: ProofDeps,
  { transfer: { actionId }, claim: { chainId } }: Question,
  { lamports }: LandedTransaction,
): Promise<boolean> {
  const call = await database.actionCall.findFirst({
    where: { chainId, form: 'REFERENCE', target: { in: [...lamports.keys()] }, actionId: { not: actionId } },
    select: { id: true },
  });
  return call !== null;
}
