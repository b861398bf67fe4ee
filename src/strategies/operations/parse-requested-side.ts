import type { Address } from 'viem';
import type { ChainTable } from '../../chains/chain-table';
import type { FieldReader } from '../../errors/field-reader';
import { parseAmount } from '../../quotes/request/parse-quote-request';
import { parseRecipient } from '../../quotes/request/parse-swap-addresses';
import type { WithdrawAmount } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import type { DepositClaimOperation, TokenOnChain, WithdrawRequestOperation } from './operation-request';
import { assertOwnChain, FROM, type SideContext, TO } from './parse-other-token';

/** The fields that one kind of operation has of its own. */
export type ParsedFields<Operation> = Omit<
  Operation,
  'wallet' | 'recipient' | 'slippage' | 'output' | 'accountId' | 'webhookUrl'
> & {
  readonly recipient: Address | undefined;
};

export interface SideParseDeps {
  readonly chains: ChainTable;
  /** The wallet of the request; `undefined` when it is malformed. */
  readonly wallet: Address | undefined;
}

/** Requests have no swap: the one of a deposit comes before its request, that of a withdrawal after its claim. */
function refuseSwap(reader: FieldReader, action: string, { chains, strategy }: Omit<SideContext, 'side'>): void {
  refuseFor(reader, action, ['slippage', FROM.token, TO.token]);
  for (const side of [FROM, TO]) assertOwnChain(reader, { chains, strategy, side });
}

/** `lend` where deposits are asynchronous: the claim of what was requested. */
export function parseDepositClaim(
  reader: FieldReader,
  { chains }: SideParseDeps,
  strategy: Strategy,
): ParsedFields<DepositClaimOperation> | undefined {
  const action = 'lend of a requested deposit';
  refuseSwap(reader, action, { chains, strategy });
  refuseFor(reader, action, ['amountInShares']);
  if (!reader.has('amount')) reader.addIssue('amount', 'is required');
  const amount = isMaximum(reader) ? 'max' : parseAmount(reader, 'amount');
  const { chain, receipt } = strategy;
  const token = { address: receipt.address, requestedAddress: receipt.address };
  const recipient = parseOwner(reader, { chain, token });
  return amount === undefined ? undefined : { action: 'claim-lend', amount, recipient };
}

export function parseWithdrawRequest(
  reader: FieldReader,
  { chains, wallet }: SideParseDeps,
  strategy: Strategy,
): ParsedFields<WithdrawRequestOperation> | undefined {
  refuseSwap(reader, 'request-withdraw', { chains, strategy });
  const amount = parseWithdrawAmount(reader);
  const { chain, underlying } = strategy;
  const token = { address: underlying.address, requestedAddress: underlying.address };
  const recipient = parseOwner(reader, { chain, token });
  refuseOtherOwner(reader, { action: 'request-withdraw', recipient, wallet });
  return amount === undefined ? undefined : { action: 'request-withdraw', amount, recipient };
}

interface OwnerOf {
  readonly action: string;
  readonly recipient: Address | undefined;
  readonly wallet: Address | undefined;
}

/** Requests of asynchronous vaults and claims of rewards are for the wallet itself. */
export function refuseOtherOwner(reader: FieldReader, { action, recipient, wallet }: OwnerOf): void {
  if (recipient === undefined || wallet === undefined || recipient === wallet) return;
  reader.addIssue('destinationAddress', `must be the wallet, or be omitted: ${action} is for the wallet itself`);
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
