import { type Address, parseAbi } from 'viem';
import { isNativeToken } from '../../chains/addresses';
import { isServiceError } from '../../errors/service-error';
import { contractRead } from '../../rpc/contract-read';
import type { Rpc } from '../../rpc/rpc';
import type { TransferFlaw } from './transfer-problem';

/** How issuers tell that they stopped a token, or barred an account from it. */
const RESTRICTIONS = parseAbi([
  'function paused() view returns (bool)',
  'function isBlacklisted(address account) view returns (bool)',
  'function isBlackListed(address account) view returns (bool)',
  'function isFrozen(address account) view returns (bool)',
  'function isBlocked(address account) view returns (bool)',
]);
const LISTS = ['isBlacklisted', 'isBlackListed', 'isFrozen', 'isBlocked'] as const;

/** What a refusal says when the token has none of these functions. */
const WORDS: readonly (readonly [RegExp, TransferFlaw['kind']])[] = [
  [/\bpaus(?:ed|able)\b|EnforcedPause/i, 'TOKEN_PAUSED'],
  [/black_?list|block_?list|deny_?list|\bfrozen\b|\bfreeze|sanction/i, 'ADDRESS_BLOCKED'],
  [/insufficient|exceeds? (?:the )?balance|not enough/i, 'INSUFFICIENT_BALANCE'],
];

export interface RefusedTransfer {
  readonly chainId: number;
  readonly token: string;
  readonly sender: string;
  readonly recipient: string;
  /** Why the transfer reverted, in words. */
  readonly reason: string;
  readonly signal: AbortSignal;
}

/** Why a token refuses a transfer: what its issuer tells on chain, else what the refusal says. */
export async function explainRefusal(rpc: Pick<Rpc, 'multicall'>, refused: RefusedTransfer): Promise<TransferFlaw> {
  const told = isNativeToken(refused.token) ? undefined : await restrictionOf(rpc, refused);
  return told ?? flawInWords(refused.reason);
}

/** What a refusal means, by its words. */
export function flawInWords(reason: string): TransferFlaw {
  const found = WORDS.find(([pattern]) => pattern.test(reason));
  return { kind: found?.[1] ?? 'REVERTED', reason: `it would revert: ${reason}` };
}

async function restrictionOf(
  rpc: Pick<Rpc, 'multicall'>,
  { chainId, token, sender, recipient, signal }: RefusedTransfer,
): Promise<TransferFlaw | undefined> {
  const address = token as Address;
  const isListed = (account: string) =>
    LISTS.map((functionName) => contractRead({ address, abi: RESTRICTIONS, functionName, args: [account as Address] }));
  const pause = contractRead({ address, abi: RESTRICTIONS, functionName: 'paused' });
  const answers = await rpc
    .multicall(chainId, [pause, ...isListed(sender), ...isListed(recipient)], { signal })
    .catch(nothingTold);
  const [isPaused, ...listed] = answers;
  if (isPaused === true) return { kind: 'TOKEN_PAUSED', reason: 'the issuer has paused the token' };
  if (listed.slice(0, LISTS.length).includes(true)) return barred('sender');
  return listed.includes(true) ? barred('recipient') : undefined;
}

const barred = (party: 'sender' | 'recipient'): TransferFlaw => ({
  kind: 'ADDRESS_BLOCKED',
  reason: `the issuer of the token has barred the ${party}`,
});

/** The explanation is a help: without it the refusal speaks for itself. */
function nothingTold(error: unknown): readonly (boolean | undefined)[] {
  if (isServiceError(error)) return [];
  throw error;
}
