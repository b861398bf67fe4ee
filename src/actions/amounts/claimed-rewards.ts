import { decodeEventLog, parseAbi } from 'viem';
import { isSameAddress } from '../../chains/addresses';
import type { TransactionEffects } from './moved-amounts';

/**
 * Events of the contracts that pay rewards of lending markets.
 *
 * @see https://github.com/compound-finance/comet/blob/main/contracts/CometRewards.sol
 * @see https://github.com/aave/aave-v3-periphery/blob/master/contracts/rewards/interfaces/IRewardsController.sol
 */
const EVENTS = parseAbi([
  'event RewardClaimed(address indexed src, address indexed recipient, address indexed token, uint256 amount)',
  'event RewardsClaimed(address indexed user, address indexed reward, address indexed to, address claimer, uint256 amount)',
]);

/** Payer, recipient and token of a reward. */
export interface RewardPayment {
  /** The rewards contract. */
  readonly payer: string;
  /** Has earned the reward, and receives it. */
  readonly wallet: string;
  readonly token: string;
}

/** A claim of a reward in a transaction. */
export interface QuotedClaim {
  readonly actionId: string;
  /** Base units that were quoted. */
  readonly quoted: bigint;
}

/**
 * Base units that a claim brought, by the events of the rewards contract: other calls of the same transaction may have moved the
 * token on. `undefined` when it brought nothing, as after another account has claimed for the wallet.
 *
 * The events do not name the market. Those of several claims of one reward are in the order of `claims`, the calls of the
 * transaction. When some claims brought nothing, each event belongs to the claim whose quote is closest to it: rewards hardly
 * grow between the quote and the block.
 */
export function claimedReward(
  effects: Pick<TransactionEffects, 'logs'>,
  reward: RewardPayment,
  { claims, actionId }: { readonly claims: readonly QuotedClaim[]; readonly actionId: string },
): bigint | undefined {
  const paid = paidAmounts(effects, reward);
  if (paid.length === claims.length) return paid[claims.findIndex((claim) => claim.actionId === actionId)];
  const pairs = claims.flatMap((claim) =>
    paid.map((amount, event) => ({ claim, event, amount, distance: distanceOf(claim.quoted, amount) })),
  );
  const taken = new Set<QuotedClaim | number>();
  for (const { claim, event, amount } of pairs.sort((one, other) => compare(one.distance, other.distance))) {
    if (taken.has(claim) || taken.has(event)) continue;
    if (claim.actionId === actionId) return amount;
    taken.add(claim).add(event);
  }
  return undefined;
}

const compare = (one: bigint, other: bigint): number => (one === other ? 0 : one < other ? -1 : 1);

const distanceOf = (one: bigint, other: bigint): bigint => (one < other ? other - one : one - other);

/** In the order of the events. The controller of Aave may also state 0. */
function paidAmounts(
  { logs }: Pick<TransactionEffects, 'logs'>,
  { payer, wallet, token }: RewardPayment,
): readonly bigint[] {
  return logs
    .filter(({ address }) => isSameAddress(address, payer))
    .flatMap((log) => paymentOf(log) ?? [])
    .filter(
      (paid) =>
        isSameAddress(paid.token, token) && isSameAddress(paid.owner, wallet) && isSameAddress(paid.recipient, wallet),
    )
    .map(({ amount }) => amount)
    .filter((amount) => amount > 0n);
}

interface Payment {
  readonly owner: string;
  readonly recipient: string;
  readonly token: string;
  readonly amount: bigint;
}

/** `undefined` for other and malformed events. */
function paymentOf({ topics, data }: TransactionEffects['logs'][number]): Payment | undefined {
  try {
    const { eventName, args } = decodeEventLog({ abi: EVENTS, topics, data });
    const { amount } = args;
    return eventName === 'RewardClaimed'
      ? { owner: args.src, recipient: args.recipient, token: args.token, amount }
      : { owner: args.user, recipient: args.to, token: args.reward, amount };
  } catch {
    return undefined;
  }
}
