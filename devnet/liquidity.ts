import type { TokenSymbol } from './tokens';

/** A pool and what is put into it. */
export interface PoolPlan {
  /** V3 fee in hundredths of a basis point; absent for V2. */
  readonly fee?: number;
  readonly base: TokenSymbol;
  readonly quote: TokenSymbol;
  /** Whole quote tokens for one whole base token, as decimal text. */
  readonly price: string;
  /** Whole base tokens, as decimal text; the other side follows from the price. */
  readonly depth: string;
  /** V3: ticks to each side of the price between which most of the liquidity lies. A tenth of it is everywhere. */
  readonly halfWidth?: number;
}

type Sized = Pick<PoolPlan, 'price' | 'depth'>;
type Pair = readonly [base: TokenSymbol, quote: TokenSymbol];

const v2 = ([base, quote]: Pair, sized: Sized): PoolPlan => ({ base, quote, ...sized });
const v3 = ([base, quote]: Pair, fee: number, sized: Sized & { halfWidth: number }): PoolPlan => ({
  base,
  quote,
  fee,
  ...sized,
});

/*
 * Prices are around 3000 USD for WETH, 90000 USD for WBTC and 5.4 BRLA for 1 USD. Depths differ, so that the best venue,
 * fee tier and path depend on the pair and the size, and a split of a large trade over several pools returns more than the
 * best single pool. USDT/BRLA and DAI/BRLA have no pool of their own and take two hops, WBTC/BRLA takes three. ISLE has no
 * pool at all.
 */
const DEVNET: readonly PoolPlan[] = [
  v3(['WETH', 'USDC'], 500, { price: '3000', depth: '2000', halfWidth: 1800 }),
  v3(['WETH', 'USDC'], 3000, { price: '3001.2', depth: '600', halfWidth: 6000 }),
  v3(['WETH', 'USDC'], 10000, { price: '3004', depth: '20', halfWidth: 12000 }),
  v2(['WETH', 'USDC'], { price: '2999.1', depth: '150' }),
  v3(['WETH', 'USDC'], 100, { price: '3000.6', depth: '35', halfWidth: 700 }),
  v3(['WETH', 'USDT'], 500, { price: '2999.6', depth: '80', halfWidth: 1200 }),
  v3(['WETH', 'USDT'], 3000, { price: '3000.9', depth: '900', halfWidth: 6000 }),
  v2(['WETH', 'USDT'], { price: '3002', depth: '60' }),
  v3(['WETH', 'USDT'], 10000, { price: '3007', depth: '15', halfWidth: 12000 }),
  v3(['WETH', 'DAI'], 3000, { price: '3000.5', depth: '120', halfWidth: 6000 }),
  v2(['WETH', 'DAI'], { price: '2998.7', depth: '40' }),
  v3(['WETH', 'DAI'], 500, { price: '3000.2', depth: '70', halfWidth: 1500 }),
  v3(['USDT', 'USDC'], 100, { price: '0.9998', depth: '3000000', halfWidth: 60 }),
  v2(['USDT', 'USDC'], { price: '1.0001', depth: '50000' }),
  v3(['USDT', 'USDC'], 500, { price: '1.0002', depth: '400000', halfWidth: 600 }),
  v3(['DAI', 'USDC'], 100, { price: '1.0001', depth: '1000000', halfWidth: 100 }),
  v3(['DAI', 'USDC'], 500, { price: '0.9999', depth: '200000', halfWidth: 600 }),
  v2(['DAI', 'USDC'], { price: '0.9998', depth: '90000' }),
  v3(['DAI', 'USDT'], 100, { price: '1.0002', depth: '350000', halfWidth: 80 }),
  v2(['DAI', 'USDT'], { price: '1.0004', depth: '30000' }),
  v3(['USDC', 'BRLA'], 100, { price: '5.4', depth: '800000', halfWidth: 900 }),
  v2(['USDC', 'BRLA'], { price: '5.395', depth: '60000' }),
  v3(['USDC', 'BRLA'], 500, { price: '5.402', depth: '150000', halfWidth: 1200 }),
  v3(['USDC', 'BRLA'], 3000, { price: '5.41', depth: '60000', halfWidth: 6000 }),
  v2(['WETH', 'BRLA'], { price: '16180', depth: '2' }),
  v3(['WETH', 'BRLA'], 3000, { price: '16205', depth: '25', halfWidth: 6000 }),
  v3(['WBTC', 'WETH'], 3000, { price: '30', depth: '40', halfWidth: 6000 }),
  v3(['WBTC', 'USDC'], 3000, { price: '90030', depth: '10', halfWidth: 6000 }),
  v3(['WBTC', 'USDC'], 500, { price: '89985', depth: '4', halfWidth: 1800 }),
  v3(['WBTC', 'USDT'], 3000, { price: '90060', depth: '5', halfWidth: 6000 }),
  v2(['WBTC', 'WETH'], { price: '30.12', depth: '6' }),
  v2(['TOLL', 'WETH'], { price: '0.001', depth: '90000' }),
  v3(['RUSD', 'USDC'], 500, { price: '1', depth: '250000', halfWidth: 600 }),
  v2(['USDC', 'BRZ'], { price: '5.4', depth: '30000' }),
];

/** Cheaper ether and a weaker real than on `devnet`, thinner, and nothing with WBTC, TOLL, RUSD and BRZ. */
const DEVNET_L2: readonly PoolPlan[] = [
  v3(['WETH', 'USDC'], 500, { price: '2994', depth: '900', halfWidth: 1800 }),
  v3(['WETH', 'USDC'], 3000, { price: '2996', depth: '100', halfWidth: 6000 }),
  v2(['WETH', 'USDC'], { price: '2993', depth: '60' }),
  v3(['WETH', 'USDT'], 3000, { price: '2995', depth: '200', halfWidth: 6000 }),
  v2(['WETH', 'DAI'], { price: '2994.5', depth: '30' }),
  v3(['USDT', 'USDC'], 100, { price: '0.9997', depth: '1200000', halfWidth: 60 }),
  v3(['DAI', 'USDC'], 100, { price: '1.0002', depth: '400000', halfWidth: 100 }),
  v3(['USDC', 'BRLA'], 500, { price: '5.42', depth: '300000', halfWidth: 900 }),
  v2(['USDC', 'BRLA'], { price: '5.415', depth: '25000' }),
];

export type DevnetSlug = 'devnet' | 'devnet-l2';

export const POOLS: Readonly<Record<DevnetSlug, readonly PoolPlan[]>> = { devnet: DEVNET, 'devnet-l2': DEVNET_L2 };
