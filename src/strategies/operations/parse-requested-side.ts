import type { Address } from 'viem';
import type { FieldReader } from '../../errors/field-reader';
import { parseAmount } from '../../quotes/request/parse-quote-request';
import { parseRecipient } from '../../quotes/request/parse-swap-addresses';
import type { WithdrawAmount } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { DepositClaimOperation, TokenOnChain, WithdrawRequestOperation } from './operation-request';

/** The fields that one kind of operation has of its own. */
export type ParsedFields<Operation> = Omit<
  Operation,
  'wallet' | 'recipient' | 'slippage' | 'output' | 'accountId' | 'webhookUrl'
> & {
  readonly recipient: Address | undefined;
};

/** The swap of a deposit comes before its request, that of a withdrawal after its claim. */
const NOT_FOR_DEPOSIT_CLAIMS = [
  ...['amountInShares', 'slippage', 'fromTokenAddress', 'fromChainId', 'chainIdIn'],
  ...['toTokenAddress', 'toChainId', 'chainIdOut'],
];
const NOT_FOR_WITHDRAW_REQUESTS = [
  ...['destinationAddress', 'slippage', 'fromTokenAddress', 'fromChainId', 'chainIdIn'],
  ...['toTokenAddress', 'toChainId', 'chainIdOut'],
];

/** `lend` where deposits are asynchronous: the claim of what was requested. */
export function parseDepositClaim(
  reader: FieldReader,
  _deps: unknown,
  { receipt, chain }: Strategy,
): ParsedFields<DepositClaimOperation> | undefined {
  refuseFor(reader, 'lend of a requested deposit', NOT_FOR_DEPOSIT_CLAIMS);
  if (!reader.has('amount')) reader.addIssue('amount', 'is required');
  const amount = isMaximum(reader) ? 'max' : parseAmount(reader, 'amount');
  const token = { address: receipt.address, requestedAddress: receipt.address };
  const recipient = parseOwner(reader, { chain, token });
  return amount === undefined ? undefined : { action: 'claim-lend', amount, recipient };
}

export function parseWithdrawRequest(reader: FieldReader): ParsedFields<WithdrawRequestOperation> | undefined {
  refuseFor(reader, 'request-withdraw', NOT_FOR_WITHDRAW_REQUESTS);
  const amount = parseWithdrawAmount(reader);
  return amount === undefined ? undefined : { action: 'request-withdraw', amount, recipient: undefined };
}

/** Parameters that an action does not have. */
export function refuseFor(reader: FieldReader, action: string, names: readonly string[]): void {
  for (const name of names) if (reader.has(name)) reader.addIssue(name, `must not be given with the action ${action}`);
}

export const parseOwner = (reader: FieldReader, received: TokenOnChain): Address | undefined =>
  parseRecipient(reader, 'destinationAddress', received) as Address | undefined;

/** Exactly one of `amount`, which may be `max`, and `amountInShares`. */
export function parseWithdrawAmount(reader: FieldReader): WithdrawAmount | undefined {
  const [hasAmount, hasShares] = [reader.has('amount'), reader.has('amountInShares')];
  if (hasAmount && hasShares) reader.addIssue('amountInShares', 'must not be given together with amount');
  if (!hasAmount && !hasShares) reader.addIssue('amount', 'is required, or amountInShares instead');
  if (hasShares) {
    const shares = parseAmount(reader, 'amountInShares');
    return shares === undefined ? undefined : { kind: 'shares', shares };
  }
  return hasAmount ? parseAssets(reader) : undefined;
}

function parseAssets(reader: FieldReader): WithdrawAmount | undefined {
  if (isMaximum(reader)) return { kind: 'all' };
  const assets = parseAmount(reader, 'amount');
  return assets === undefined ? undefined : { kind: 'assets', assets };
}

const isMaximum = (reader: FieldReader): boolean => reader.text('amount')?.toLowerCase() === 'max';
