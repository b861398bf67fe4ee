import { type Address, parseAbi } from 'viem';
import { z } from 'zod';
import type { Chain, ChainlinkFeed } from '../../../chains/chain';
import { contractRead } from '../../../rpc/contract-read';
import type { Rpc } from '../../../rpc/rpc';
import { checkedObservation } from '../../checked-observation';
import type { PricedToken, PriceObservation, TokenPriceSource } from '../../token-price';

const CHAINLINK = 'chainlink';
const FULL_BPS = 10_000;
const PRICE_DECIMALS = 24;
/** Time after the heartbeat in which the update may still be mined. */
const HEARTBEAT_GRACE_SECONDS = 300;
/** After an outage of a rollup's sequencer, feeds may lag behind the market for this long. */
const SEQUENCER_GRACE_SECONDS = 3600n;

/** @see https://docs.chain.link/data-feeds/api-reference */
const aggregator = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 price, uint256 startedAt, uint256 updatedAt, uint80 completedIn)',
  'function decimals() view returns (uint8)',
]);

const roundSchema = z.tuple([z.bigint(), z.bigint(), z.bigint(), z.bigint(), z.bigint()]);
/** Id, price, begin, last update and round of the price; times in Unix seconds. */
type Round = z.output<typeof roundSchema>;

const roundRead = (address: Address) => contractRead({ address, abi: aggregator, functionName: 'latestRoundData' });
const decimalsRead = (address: Address) => contractRead({ address, abi: aggregator, functionName: 'decimals' });

/** Chainlink's price feeds, read on their chain in one call together with the uptime feed of the rollup's sequencer. */
export const createChainlinkSource = ({
  rpc,
}: {
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
}): TokenPriceSource => ({
  id: CHAINLINK,
  cacheMs: 5000,
  maxBatch: 100,
  covers: ({ chain, address }) => rpc.serves(chain.chainId) && feedOf(chain, address) !== undefined,
  async observe(tokens, signal) {
    const chain = tokens[0]?.chain;
    const feeds = tokens.flatMap((token) => feedOf(token.chain, token.address) ?? []);
    if (chain === undefined || feeds.length === 0) return new Map();
    const sequencer = chain.prices?.chainlink?.sequencerUptimeFeed;
    const rounds = [...feeds.map(({ feed }) => feed), ...(sequencer === undefined ? [] : [sequencer])].map(roundRead);
    const results = await rpc.multicall(chain.chainId, [...rounds, ...feeds.map(({ feed }) => decimalsRead(feed))], {
      signal,
    });
    if (sequencer !== undefined && !hasBeenUp(asRound(results[feeds.length]))) return new Map();
    return new Map(
      feeds.flatMap((feed, index) => {
        const observation = observationOf(feed, asRound(results[index]), results[rounds.length + index]);
        return observation === undefined ? [] : [[feed.token, observation] as const];
      }),
    );
  },
});

const feedOf = ({ prices }: Chain, token: PricedToken['address']): ChainlinkFeed | undefined =>
  prices?.chainlink?.feeds.find((feed) => feed.token === token);

const asRound = (result: unknown): Round | undefined => roundSchema.safeParse(result).data;

/** True when the sequencer's feed reports "up" (0), and has for longer than the grace period. */
function hasBeenUp(uptime: Round | undefined): boolean {
  const now = BigInt(Math.floor(Date.now() / 1000));
  return uptime !== undefined && uptime[1] === 0n && uptime[2] > 0n && now - uptime[2] > SEQUENCER_GRACE_SECONDS;
}

function observationOf(
  { heartbeatSeconds, deviationBps }: ChainlinkFeed,
  round: Round | undefined,
  decimals: unknown,
): PriceObservation | undefined {
  if (round === undefined || typeof decimals !== 'number' || decimals > PRICE_DECIMALS) return undefined;
  const [, price, , updatedAt] = round;
  return checkedObservation({
    usdE24: price * 10n ** BigInt(PRICE_DECIMALS - decimals),
    observedAt: Number.parseInt(updatedAt.toString(), 10),
    maxAgeSeconds: heartbeatSeconds + HEARTBEAT_GRACE_SECONDS,
    source: CHAINLINK,
    // Within its deviation a feed does not follow the market.
    confidenceBps: FULL_BPS - deviationBps,
    kind: 'oracle',
  });
}
