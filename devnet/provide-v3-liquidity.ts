import {
  type Address,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  encodeAbiParameters,
  maxUint256,
  parseAbi,
  decodeFunctionResult,
} from 'viem';
import { z } from 'zod';
import { CANONICAL } from './canonical-addresses';
import { DevnetError } from './devnet-error';
import type { JsonRpc } from './json-rpc';
import type { PoolPlan } from './liquidity';
import type { SetupCall } from './setup-transactions';
import { squareRootPriceX96 } from './square-root-price';

/** A side of a pool with what is put into it, in the token's smallest unit. */
export interface PoolSide {
  readonly address: Address;
  readonly amount: bigint;
}

/** A V3 pool of the plan with its sides, base and quote. */
export interface ConcentratedPool extends PoolPlan {
  readonly sides: readonly [PoolSide, PoolSide];
}

const positionManager = parseAbi([
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96)',
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function mint(MintParams params)',
]);
const poolAbi = parseAbi([
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16, uint16, uint16, uint8, bool)',
]);

export const V3_POOL_INIT_CODE_HASH = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';
const MAX_TICK = 887_272;
const TICK_SPACINGS: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };

/** The sides in the order in which the pool keeps them: the lower address first. */
function sorted({ sides: [base, quote] }: ConcentratedPool): readonly [PoolSide, PoolSide] {
  return base.address.toLowerCase() < quote.address.toLowerCase() ? [base, quote] : [quote, base];
}

function feeOf({ fee, base, quote }: ConcentratedPool): number {
  if (fee === undefined) throw new DevnetError(`the V3 pool ${base}/${quote} has no fee`);
  return fee;
}

export function poolInitialization(pool: ConcentratedPool): SetupCall {
  const [side0, side1] = sorted(pool);
  const data = encodeFunctionData({
    abi: positionManager,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [side0.address, side1.address, feeOf(pool), squareRootPriceX96(side0.amount, side1.amount)],
  });
  return { label: `V3 pool ${pool.base}/${pool.quote} ${String(pool.fee)}`, to: CANONICAL.v3PositionManager, data };
}

function poolAddress(pool: ConcentratedPool): Address {
  const [side0, side1] = sorted(pool);
  const key = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }],
    [side0.address, side1.address, feeOf(pool)],
  );
  return getContractAddress({
    opcode: 'CREATE2',
    from: CANONICAL.v3Factory,
    salt: keccak256(key),
    bytecodeHash: V3_POOL_INIT_CODE_HASH,
  });
}

/** The tick at which each pool stands. */
export async function currentTicks(rpc: JsonRpc, pools: readonly ConcentratedPool[]): Promise<readonly number[]> {
  const data = encodeFunctionData({ abi: poolAbi });
  const results = await rpc.batch(
    pools.map((pool) => ({ method: 'eth_call', params: [{ to: poolAddress(pool), data }, 'latest'] })),
  );
  return results.map((result) => {
    const encoded = z.templateLiteral(['0x', z.string()]).parse(result);
    return decodeFunctionResult({ abi: poolAbi, functionName: 'slot0', data: encoded })[1];
  });
}

/** Most of the depth around the price, and a tenth of it over all prices, so that no swap runs dry. */
export function mintPositions(pool: ConcentratedPool, tick: number, recipient: Address): readonly SetupCall[] {
  const spacing = TICK_SPACINGS[feeOf(pool)] ?? 1;
  const aligned = (value: number) => Math.floor(value / spacing) * spacing;
  const halfWidth = pool.halfWidth ?? MAX_TICK;
  const around = { lower: aligned(tick - halfWidth), upper: aligned(tick + halfWidth) + spacing, share: 1n };
  const everywhere = { lower: -aligned(MAX_TICK), upper: aligned(MAX_TICK), share: 10n };
  const [side0, side1] = sorted(pool);
  return [around, everywhere].map(({ lower, upper, share }) => ({
    label: `V3 position in ${pool.base}/${pool.quote} ${String(pool.fee)}`,
    to: CANONICAL.v3PositionManager,
    data: encodeFunctionData({
      abi: positionManager,
      functionName: 'mint',
      args: [
        {
          token0: side0.address,
          token1: side1.address,
          fee: feeOf(pool),
          tickLower: lower,
          tickUpper: upper,
          amount0Desired: side0.amount / share,
          amount1Desired: side1.amount / share,
          amount0Min: 0n,
          amount1Min: 0n,
          recipient,
          deadline: maxUint256,
        },
      ],
    }),
  }));
}
