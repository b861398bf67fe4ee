import type { UsdPrice } from '../../money/usd';
import type { MarketState } from '../protocols/protocol';
import type { RewardRate } from './reward-rates';
import type { SharePricePoint } from './yields';

/** State of a market as this service has read it. */
export interface MarketObservation extends Omit<MarketState, 'emissions'>, SharePricePoint {
  readonly blockNumber: bigint;
  /** Time of the reading. */
  readonly observedAt: Date;
  /** Price of the underlying asset; `undefined` when it has none. */
  readonly usdE24: UsdPrice | undefined;
  /** Absent for a market without rewards. */
  readonly rewards?: readonly RewardRate[] | undefined;
}

/** An earlier observation that changes are computed from. */
export interface BasePoint extends SharePricePoint {
  /** `undefined` when it was not kept. */
  readonly tvl: bigint | undefined;
}

/** What a broken contract or node may misstate without notice. `at` is the time of their block. */
export type DoubtfulValues = Pick<MarketObservation, 'at' | 'sharePriceRay' | 'yearlyRateRay' | 'tvl'>;

/** The stored market of a strategy: its last accepted observation, and the values that figures are computed from. */
export interface StoredMarket {
  /** Slug of the strategy. */
  readonly strategyId: string;
  readonly chainId: number;
  /** Key of its market: the history of a strategy whose id changes. `undefined` in rows of earlier versions. */
  readonly market?: string | undefined;
  readonly observation: MarketObservation;
  /** The observation nearest to 24 hours before, from 1 to 26 hours old. */
  readonly base: BasePoint | undefined;
  /** The first observation by this deployment. */
  readonly first: SharePricePoint;
  /** Sum of yield times seconds, in 10^-18. */
  readonly rateSumE18: bigint;
  readonly rateSeconds: bigint;
  /** Values that differ too much from the accepted ones and wait for their confirmation. */
  readonly doubtful: DoubtfulValues | undefined;
}
