import { type Hex, keccak256, type PublicClient } from 'viem';
import { isNativeToken, isSameAddress, parseEvmAddress } from '../../chains/addresses';
import { readReceipt } from '../../rpc/read-receipt';
import { arrivedTokens } from '../amounts/moved-amounts';
import { type MinedEffects, readMined } from '../amounts/mined-effects';
import { readReceived } from '../amounts/read-received';
import type { DeliveryDeps } from './delivery-deps';
import {
  type ClaimedTransactionRef,
  type ClaimedTransaction,
  type OnchainResult,
  verifyOnChain,
} from './onchain-check';
import type { ReturnedTokens } from './refunded-amount';
import type { TransferAction } from './transfer-action';

type VerificationDeps = Pick<DeliveryDeps, 'database' | 'rpc' | 'chains'>;

interface Movements {
  readonly client: PublicClient;
  readonly mined: MinedEffects;
  /** ERC-20 that wraps the native coin of the chain. */
  readonly wrappedNative: string | undefined;
}

/**
 * Verifies that a transaction on an EVM chain delivered the bought token to the receiver. With `partial`, another token
 * counts as well, with a flaw.
 */
export async function verifyEvmDelivery(
  deps: VerificationDeps,
  transfer: TransferAction,
  claim: ClaimedTransactionRef & { readonly partial: boolean },
): Promise<OnchainResult> {
  const transaction = await findClaimed(deps, claim, transfer.actionId);
  return verifyOnChain(transfer, transaction, async ({ client, mined, wrappedNative }) => {
    const { receiverAddress: owner, tokenOut } = transfer;
    const amount = await readReceived(client, mined, { token: tokenOut, owner, wrappedNative });
    if (amount !== undefined && !claim.partial) return { amount, flaw: undefined };
    const other = arrivedTokens(mined, owner).find(({ token }) => !isSameAddress(token, tokenOut));
    if (other === undefined) return amount === undefined ? undefined : { amount, flaw: LESS_ARRIVED };
    const isWrappedCoin = isNativeToken(tokenOut) && isSameAddress(other.token, wrappedNative);
    if (!claim.partial && !isWrappedCoin) return undefined;
    const name = isWrappedCoin ? 'the wrapped native coin' : `the token ${other.token}`;
    return { amount, flaw: otherTokenArrived(other.amount, name) };
  });
}

export const LESS_ARRIVED = 'Less than the bought amount arrived';

export const otherTokenArrived = (amount: bigint, name: string): string =>
  `Another token than the one bought arrived: ${amount.toString()} base units of ${name}`;

/**
 * Verifies that a transaction on an EVM chain returned the sold token, wrapped or not, to the sender or the refund address.
 *
 * - On another chain than the origin, any token counts, because the provider has not named the one that is returned.
 * - When the provider names another token than the sold one, that token counts, and the receiver may have it too: a bank
 *   payment has no sender on chain.
 */
export async function verifyEvmRefund(
  deps: VerificationDeps,
  transfer: TransferAction,
  claim: ClaimedTransactionRef & { readonly token?: string | undefined },
): Promise<OnchainResult> {
  const { refundAddress, originAddress, receiverAddress, chainIdIn } = transfer;
  const token = claim.token ?? transfer.tokenIn;
  const sender = refundAddress === undefined ? [originAddress] : [refundAddress, originAddress];
  const owners = claim.token === undefined ? sender : [...sender, receiverAddress].filter(isEvmAddress);
  const isUnnamed = claim.token === undefined && claim.chainId !== chainIdIn;
  const transaction = await findClaimed(deps, claim, transfer.actionId);
  return verifyOnChain(transfer, transaction, async (movements) => {
    for (const owner of owners) {
      const [anyToken] = isUnnamed ? arrivedTokens(movements.mined, owner) : [];
      if (anyToken !== undefined) return { amount: undefined, flaw: undefined, returned: { ...anyToken, owner } };
      const returned = await readReturned(movements, { token, owner });
      if (returned !== undefined) return { amount: returned.amount, flaw: undefined, returned };
    }
    return undefined;
  });
}

/** The native coin may be returned wrapped. */
async function readReturned(
  { client, mined, wrappedNative }: Movements,
  { token, owner }: Pick<ReturnedTokens, 'token' | 'owner'>,
): Promise<ReturnedTokens | undefined> {
  const wrapped = isNativeToken(token)
    ? arrivedTokens(mined, owner).find((arrival) => isSameAddress(arrival.token, wrappedNative))
    : undefined;
  if (wrapped !== undefined) return { ...wrapped, owner };
  const amount = await readReceived(client, mined, { token, owner, wrappedNative });
  return amount === undefined ? undefined : { token, amount, owner };
}

const isEvmAddress = (text: string): boolean => parseEvmAddress(text) !== undefined;

async function findClaimed(
  deps: VerificationDeps,
  claim: ClaimedTransactionRef,
  actionId: string,
): Promise<ClaimedTransaction<Movements> | undefined> {
  const client = deps.rpc.client(claim.chainId);
  const { wrappedNative, confirmations } = deps.chains.get(claim.chainId);
  const receipt = await readReceipt(client, claim.txHash);
  if (receipt === undefined) return undefined;
  return {
    failure: receipt.status === 'success' ? undefined : 'the transaction reverted',
    async readBlock() {
      const { number, hash, timestamp } = await client.getBlock({
        blockHash: receipt.blockHash,
        includeTransactions: false,
      });
      return { number, hash, timestamp };
    },
    executesAnotherAction: () => executesAnotherAction(deps, claim, actionId),
    readMovements: async () => ({ client, mined: await readMined(client, receipt), wrappedNative }),
    async isFinal() {
      const head = await client.getBlockNumber({ cacheTime: 0 });
      return head - receipt.blockNumber >= BigInt(confirmations);
    },
  };
}

/** True when the transaction is a call that was issued for another action. */
async function executesAnotherAction(
  { database, rpc }: VerificationDeps,
  { chainId, txHash }: ClaimedTransactionRef,
  actionId: string,
): Promise<boolean> {
  const { from, to, input, value } = await rpc.client(chainId).getTransaction({ hash: txHash as Hex });
  const call = await database.actionCall.findFirst({
    where: {
      chainId,
      sender: from.toLowerCase(),
      target: to?.toLowerCase() ?? '',
      dataHash: Buffer.from(keccak256(input, 'bytes')),
      value: value.toString(),
      kind: { not: 'APPROVAL' },
      actionId: { not: actionId },
    },
    select: { id: true },
  });
  return call !== null;
}
