import { type Hex, keccak256, type PublicClient } from 'viem';
import { isNativeToken, parseEvmAddress } from '../../chains/addresses';
import { readReceipt } from '../../rpc/read-receipt';
import { arrivedTokens } from '../amounts/moved-amounts';
import { type MinedTransaction, readArrived, readMined } from '../amounts/read-received';
import type { SeenReturn } from './refunded-amount';
import type { DeliveryDeps } from './delivery-deps';
import type { Transfer } from './transfer-action';

type ProofDeps = Pick<DeliveryDeps, 'database' | 'rpc' | 'chains'>;

/** A transaction that a provider names. */
export interface Claim {
  readonly chainId: number;
  readonly txHash: string;
}

/**
 * What an EVM chain says of a claim.
 *
 * - `proven`: the transaction succeeded and brought something to whom it should; `flaw` says what is wrong with that.
 *   `final` when it has the chain's confirmations on top.
 * - not `proven`: it is not there yet, or not what it is said to be.
 */
export type Proof =
  | ({ readonly proven: true; readonly block: ProvenBlock; readonly final: boolean } & Arrival)
  | { readonly proven: false; readonly reason: string };

interface ProvenBlock {
  readonly number: bigint;
  readonly hash: string;
  /** Unix seconds. */
  readonly timestamp: bigint;
}

interface Evidence {
  readonly client: PublicClient;
  readonly mined: MinedTransaction;
  /** ERC-20 that wraps the native coin of the chain. */
  readonly wrappedNative: string | undefined;
}

/**
 * What arrived by a transaction of the token in question, if anything; `flaw` when it is not what it should be. `seen`: of
 * refunds, whatever it was.
 */
interface Arrival {
  readonly amount: bigint | undefined;
  readonly flaw: string | undefined;
  readonly seen?: SeenReturn | undefined;
}

/** Chains have clocks of their own: a transaction may seem older than the action by this much. */
const CLOCK_SKEW_SECONDS = 600n;

/** Looks for the token that was bought, at the receiver's; where the provider admits a flaw, for anything else as well. */
export function proveDelivery(
  deps: ProofDeps,
  transfer: Transfer,
  claim: Claim & { readonly partial: boolean },
): Promise<Proof> {
  return prove(deps, { transfer, claim }, async ({ client, mined, wrappedNative }) => {
    const { receiverAddress: owner, tokenOut } = transfer;
    const amount = await readArrived(client, mined, { token: tokenOut, owner, wrappedNative });
    if (amount !== undefined && !claim.partial) return { amount, flaw: undefined };
    const other = arrivedTokens(mined, owner).find(({ token }) => token !== tokenOut.toLowerCase());
    if (other === undefined) return amount === undefined ? undefined : { amount, flaw: 'Less arrived than was bought' };
    const isTheCoin = isNativeToken(tokenOut) && other.token === wrappedNative?.toLowerCase();
    if (!claim.partial && !isTheCoin) return undefined;
    const what = isTheCoin ? 'the wrapped coin' : `the token ${other.token}`;
    const told = `${other.amount.toString()} base units of ${what}`;
    return { amount, flaw: `Something else arrived than was bought: ${told}` };
  });
}

/**
 * Looks for what was sold, wrapped or not, at the sender's or where refunds go. On another chain than the origin's nobody
 * has named the token that stands for it: there any token counts. Where the provider gives back another token than was
 * sold and says so, that one is looked for, at the receiver's too: of money that came from a bank, nobody is the sender.
 */
export function proveRefund(
  deps: ProofDeps,
  transfer: Transfer,
  claim: Claim & { readonly token?: string | undefined },
): Promise<Proof> {
  const { refundAddress, originAddress, receiverAddress, chainIdIn } = transfer;
  const token = claim.token ?? transfer.tokenIn;
  const sender = refundAddress === undefined ? [originAddress] : [refundAddress, originAddress];
  const owners = claim.token === undefined ? sender : [...sender, receiverAddress].filter(isEvmAddress);
  const isUnnamed = claim.token === undefined && claim.chainId !== chainIdIn;
  return prove(deps, { transfer, claim }, async (evidence) => {
    for (const owner of owners) {
      const [anything] = isUnnamed ? arrivedTokens(evidence.mined, owner) : [];
      if (anything !== undefined) return { amount: undefined, flaw: undefined, seen: { ...anything, owner } };
      const seen = await returnedTo(evidence, { token, owner });
      if (seen !== undefined) return { amount: seen.amount, flaw: undefined, seen };
    }
    return undefined;
  });
}

/** The native coin may come back wrapped. */
async function returnedTo(
  { client, mined, wrappedNative }: Evidence,
  { token, owner }: Pick<SeenReturn, 'token' | 'owner'>,
): Promise<SeenReturn | undefined> {
  const wrapped = isNativeToken(token)
    ? arrivedTokens(mined, owner).find((arrival) => arrival.token === wrappedNative?.toLowerCase())
    : undefined;
  if (wrapped !== undefined) return { ...wrapped, owner };
  const amount = await readArrived(client, mined, { token, owner, wrappedNative });
  return amount === undefined ? undefined : { token, amount, owner };
}

const isEvmAddress = (text: string): boolean => parseEvmAddress(text) !== undefined;

interface Question {
  readonly transfer: Transfer;
  readonly claim: Claim;
}

async function prove(
  deps: ProofDeps,
  { transfer, claim }: Question,
  arrivalOf: (evidence: Evidence) => Promise<Arrival | undefined>,
): Promise<Proof> {
  const client = deps.rpc.client(claim.chainId);
  const chain = deps.chains.get(claim.chainId);
  const receipt = await readReceipt(client, claim.txHash);
  if (receipt === undefined) return unproven('the chain does not have the transaction');
  if (receipt.status !== 'success') return unproven('the transaction reverted');
  const block = await client.getBlock({ blockHash: receipt.blockHash, includeTransactions: false });
  const created = BigInt(Math.floor(transfer.createdAt.getTime() / 1000));
  if (block.timestamp + CLOCK_SKEW_SECONDS < created) return unproven('the transaction is older than the action');
  if (await carriesOutAnother(deps, { transfer, claim })) return unproven('the transaction executes another action');
  const mined = await readMined(client, receipt);
  const arrival = await arrivalOf({ client, mined, wrappedNative: chain.wrappedNative });
  if (arrival === undefined) return unproven('the transaction did not bring what it is said to have brought');
  const head = await client.getBlockNumber({ cacheTime: 0 });
  const final = head - receipt.blockNumber >= BigInt(chain.confirmations);
  return {
    proven: true,
    block: { number: block.number, hash: block.hash, timestamp: block.timestamp },
    final,
    ...arrival,
  };
}

const unproven = (reason: string): Proof => ({ proven: false, reason });

/** True when the transaction is one that was handed out for another action: it carries out that, and delivers nothing. */
async function carriesOutAnother({ database, rpc }: ProofDeps, { transfer, claim }: Question): Promise<boolean> {
  const hash = claim.txHash as Hex;
  const { from, to, input, value } = await rpc.client(claim.chainId).getTransaction({ hash });
  const call = await database.actionCall.findFirst({
    where: {
      chainId: claim.chainId,
      sender: from.toLowerCase(),
      target: to?.toLowerCase() ?? '',
      dataHash: Buffer.from(keccak256(input, 'bytes')),
      value: value.toString(),
      kind: { not: 'APPROVAL' },
      actionId: { not: transfer.actionId },
    },
    select: { id: true },
  });
  return call !== null;
}
