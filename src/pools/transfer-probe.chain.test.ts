import type { Address } from 'viem';
import { asChain, rpcOf } from '../../test/contract/local-swaps';
import { chainNamed, type TestUniverse, tokenNamed, universeOfTests } from '../../test/setup/universe-of-tests';
import type { Rpc } from '../rpc/rpc';
import { poolKey } from './pool';
import { createPoolDirectory } from './pool-directory';
import { createTransferProbe } from './transfer-probe';

let universe: TestUniverse;
let chain: ReturnType<typeof chainNamed>;
let rpc: Rpc;
beforeAll(async () => {
  universe = await universeOfTests();
  chain = chainNamed(universe, 'devnet');
  rpc = rpcOf(universe.chains);
});

const addressOf = (symbol: string): Address => tokenNamed(chain, symbol).address;
/** An address that holds no tokens. */
const EMPTY_HOLDER = '0x000000000000000000000000000000000000b0b5';

describe('a token in a pool', () => {
  const heldBy = async (symbol: string, other: string, fee?: number) => {
    const { uniswapV2, uniswapV3 } = asChain(chain);
    const factory = fee === undefined ? uniswapV2!.factory : uniswapV3!.factory;
    const key = poolKey({ factory, fee }, addressOf(symbol), addressOf(other));
    const [pool] = await createPoolDirectory({ rpc }).locate(chain.chainId, [key]);
    return { chainId: chain.chainId, token: addressOf(symbol), holder: pool!.address };
  };

  it.each([
    { symbol: 'USDC', other: 'WETH', fee: undefined, whole: true },
    { symbol: 'USDT', other: 'WETH', fee: undefined, whole: true },
    { symbol: 'RUSD', other: 'USDC', fee: 500, whole: true },
    { symbol: 'BRLA', other: 'USDC', fee: 100, whole: true },
    { symbol: 'TOLL', other: 'WETH', fee: undefined, whole: false },
  ])('$symbol paired with $other is transferred in full: $whole', async ({ symbol, other, fee, whole }) => {
    const probe = createTransferProbe({ rpc });
    expect(await probe.transfersInFull(await heldBy(symbol, other, fee))).toBe(whole);
  });

  it('is not considered transferable in full when the holder has no balance', async () => {
    const probe = createTransferProbe({ rpc });
    const held = { chainId: chain.chainId, token: addressOf('USDC'), holder: EMPTY_HOLDER } as const;
    expect(await probe.transfersInFull(held)).toBe(false);
  });
});
