import { type Address, parseAbi } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { isServiceError } from '../../errors/service-error';
import { contractRead } from '../../rpc/contract-read';
import type { Rpc } from '../../rpc/rpc';
import type { TransferProblem } from './transfer-problem';

/** Token functions that report a pause or a blocked account. */
const RESTRICTIONS = parseAbi([
  'function paused() view returns (bool)',
  'function isBlacklisted(address account) view returns (bool)',
  'function isBlackListed(address account) view returns (bool)',
  'function isFrozen(address account) view returns (bool)',
  'function isBlocked(address account) view returns (bool)',
]);
const LISTS = ['isBlacklisted', 'isBlackListed', 'isFrozen', 'isBlocked'] as const;

/** Patterns of revert reasons, for tokens without these functions. */
const REASON_PATTERNS: readonly (readonly [RegExp, TransferProblem['kind']])[] = [
  [/\bpaus(?:ed|able)\b|EnforcedPause/i, 'TOKEN_PAUSED'],
  [/black_?list|block_?list|deny_?list|\bfrozen\b|\bfreeze|sanction/i, 'ADDRESS_BLOCKED'],
  [/insufficient|exceeds? (?:the )?balance|not enough/i, 'INSUFFICIENT_BALANCE'],
];

export interface RevertedTransfer {
  readonly chainId: number;
  readonly token: string;
  readonly sender: string;
  readonly recipient: string;
  /** The revert reason of the transfer. */
  readonly reason: string;
  readonly signal: AbortSignal;
}

/** The reason why a transfer reverted: a restriction that the token reports on chain, or else the revert reason. */
export async function explainTransferRevert(
  rpc: Pick<Rpc, 'multicall'>,
  transfer: RevertedTransfer,
): Promise<TransferProblem> {
  const restriction = isNativeToken(transfer.token) ? undefined : await readRestriction(rpc, transfer);
  return restriction ?? problemFromRevert(transfer.reason);
}

/** Classifies a revert reason. */
export function problemFromRevert(reason: string): TransferProblem {
  const found = REASON_PATTERNS.find(([pattern]) => pattern.test(reason));
  return { kind: found?.[1] ?? 'REVERTED', reason: `it would revert: ${reason}` };
}

async function readRestriction(
  rpc: Pick<Rpc, 'multicall'>,
  { chainId, token, sender, recipient, signal }: RevertedTransfer,
): Promise<TransferProblem | undefined> {
  const address = token as Address;
  const isListed = (account: string) =>
    LISTS.map((functionName) => contractRead({ address, abi: RESTRICTIONS, functionName, args: [account as Address] }));
  const pause = contractRead({ address, abi: RESTRICTIONS, functionName: 'paused' });
  const results = await rpc
    .multicall(chainId, [pause, ...isListed(sender), ...isListed(recipient)], { signal })
    .catch(ignoreServiceError);
  const [isPaused, ...listed] = results;
  if (isPaused === true) return { kind: 'TOKEN_PAUSED', reason: 'the issuer has paused the token' };
  if (listed.slice(0, LISTS.length).includes(true)) return blockedAddress('sender');
  return listed.includes(true) ? blockedAddress('recipient') : undefined;
}

const blockedAddress = (party: 'sender' | 'recipient'): TransferProblem => ({
  kind: 'ADDRESS_BLOCKED',
  reason: `the issuer of the token has blocked the ${party}`,
});

/** The restriction is optional: without it the revert reason is reported. */
function ignoreServiceError(error: unknown): readonly (boolean | undefined)[] {
  if (isServiceError(error)) return [];
  throw error;
}
