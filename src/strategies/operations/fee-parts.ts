import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import { addressKey } from '../../chains/addresses';
import { FEE_PROTOCOL } from '../../transactions/action-plan';
import { tagCall } from '../../transactions/execution/calls/tag-call';
import { groupBy } from '../positions/group-by';
import type { OperationPart } from './operation-part';
import type { ChargedFee, Lending, Withdrawal } from './resolved-operation';

/** All fees of an operation in base units of the underlying asset. */
export const sumOfFees = (fees: readonly ChargedFee[]): bigint => fees.reduce((sum, { amount }) => sum + amount, 0n);

/** The transfers of fees, one to each recipient. */
export const feeParts = (operation: Lending | Withdrawal, fees: readonly ChargedFee[]): readonly OperationPart[] =>
  [...groupBy(fees, ({ recipient }) => addressKey(recipient)).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { recipient } = first;
    const part = transferPart(operation, { protocol: FEE_PROTOCOL, recipient, amount: sumOfFees(own) });
    return [{ ...part, feeRecipient: recipient }];
  });

/** A transfer of the underlying asset from the wallet. */
export function transferPart(
  { strategy: { chain, underlying }, request, actionId }: Lending | Withdrawal,
  { protocol, recipient, amount }: { readonly protocol: string; readonly recipient: string; readonly amount: bigint },
): OperationPart {
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'transfer',
    args: [recipient as Address, amount],
  });
  const transfer = { chainId: chain.chainId, from: request.wallet, to: underlying.address, data, value: 0n };
  return { kind: 'TRANSFER', protocol, approvals: [], call: tagCall(transfer, actionId) };
}
