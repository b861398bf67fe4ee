import { randomBytes } from 'node:crypto';
import {
  type Address,
  type PublicClient,
  createPublicClient,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  getAddress,
  getContractAddress,
  http,
  keccak256,
  numberToHex,
  parseAbi,
  parseEther,
  parseUnits,
  toHex,
} from 'viem';
import { chainSchema } from '../src/config/chain-schema';
import {
  type TestUniverse,
  chainNamed,
  snapshotOf,
  tokenNamed,
  universeOfTests,
} from '../test/setup/universe-of-tests';
import { CANONICAL } from './canonical-addresses';
import { createJsonRpc } from './json-rpc';
import { POOLS } from './liquidity';
import { V3_POOL_INIT_CODE_HASH } from './provide-v3-liquidity';
import type { DevnetChain } from './universe';

const V2_PAIR_INIT_CODE_HASH = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';

const wiring = parseAbi([
  'function factory() view returns (address)',
  'function factoryV2() view returns (address)',
  'function positionManager() view returns (address)',
  'function WETH() view returns (address)',
  'function WETH9() view returns (address)',
  'function feeAmountTickSpacing(uint24 fee) view returns (int24)',
]);
const v2Factory = parseAbi(['function getPair(address, address) view returns (address)']);
const v3Factory = parseAbi(['function getPool(address, address, uint24) view returns (address)']);
const v2Router = parseAbi(['function getAmountsOut(uint256, address[]) view returns (uint256[])']);
const v3Quoter = parseAbi(['function quoteExactInput(bytes, uint256) returns (uint256, uint160[], uint32[], uint256)']);

const ZERO = '0x0000000000000000000000000000000000000000';

let universe: TestUniverse;
beforeAll(async () => {
  universe = await universeOfTests();
});

const clientOf = (chain: DevnetChain): PublicClient => createPublicClient({ transport: http(chain.rpcUrl) });
const inOrder = (one: Address, other: Address) =>
  one.toLowerCase() < other.toLowerCase() ? ([one, other] as const) : ([other, one] as const);

describe.each(['devnet', 'devnet-l2'] as const)('the chain %s', (slug) => {
  let chain: DevnetChain;
  let client: PublicClient;
  beforeAll(() => {
    chain = chainNamed(universe, slug);
    client = clientOf(chain);
  });

  it('is described as the configuration of the service wants it', () => {
    const parsed = chainSchema.parse(chain);
    expect({ slug: parsed.slug, chainId: parsed.chainId, rpcUrl: parsed.rpcUrl }).toEqual({
      slug,
      chainId: slug === 'devnet' ? 31337 : 31338,
      rpcUrl: chain.rpcUrl,
    });
  });

  it.each(Object.entries(CANONICAL))('has %s at its address on the main network', async (_, address) => {
    expect(await client.getCode({ address })).toMatch(/^0x[0-9a-f]{100}/);
  });

  it('has venues that know one another', async () => {
    const read = (address: Address, functionName: 'factory' | 'factoryV2' | 'positionManager' | 'WETH' | 'WETH9') =>
      client.readContract({ address, abi: wiring, functionName });
    const { uniswapV2, uniswapV3, wrappedNative } = chain;
    expect(await read(uniswapV2.router, 'factory')).toBe(uniswapV2.factory);
    expect(await read(uniswapV2.router, 'WETH')).toBe(wrappedNative);
    expect(await read(uniswapV3.router, 'factory')).toBe(uniswapV3.factory);
    expect(await read(uniswapV3.router, 'factoryV2')).toBe(uniswapV2.factory);
    expect(await read(uniswapV3.router, 'WETH9')).toBe(wrappedNative);
    expect(await read(uniswapV3.router, 'positionManager')).toBe(CANONICAL.v3PositionManager);
    expect(await read(uniswapV3.quoter, 'factory')).toBe(uniswapV3.factory);
  });

  it('has the fee tier of 0.01%', async () => {
    const spacing = await client.readContract({
      address: chain.uniswapV3.factory,
      abi: wiring,
      functionName: 'feeAmountTickSpacing',
      args: [100],
    });
    expect(spacing).toBe(1);
  });

  it('has every pool of the plan where the hash of the original code puts it', async () => {
    for (const { base, quote, fee } of POOLS[slug]) {
      const tokens = inOrder(tokenNamed(chain, base).address, tokenNamed(chain, quote).address);
      if (fee === undefined) {
        const { factory } = chain.uniswapV2;
        const salt = keccak256(encodePacked(['address', 'address'], tokens));
        expect(
          await client.readContract({ address: factory, abi: v2Factory, functionName: 'getPair', args: tokens }),
        ).toBe(getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecodeHash: V2_PAIR_INIT_CODE_HASH }));
        continue;
      }
      const { factory } = chain.uniswapV3;
      const words = [...tokens.map((token) => token.slice(2).padStart(64, '0')), fee.toString(16).padStart(64, '0')];
      const salt = keccak256(`0x${words.join('')}`);
      const args = [...tokens, fee] as const;
      expect(await client.readContract({ address: factory, abi: v3Factory, functionName: 'getPool', args })).toBe(
        getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecodeHash: V3_POOL_INIT_CODE_HASH }),
      );
    }
  });

  it('gives ten accounts ether and some of every token', async () => {
    expect(universe.accounts).toHaveLength(10);
    for (const { address } of universe.accounts) {
      expect(await client.getBalance({ address })).toBeGreaterThan(parseEther('9000'));
      for (const token of chain.tokens) {
        const balance = await client.readContract({
          address: token.address,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [address],
        });
        expect(balance).toBeGreaterThanOrEqual(parseUnits('10', token.decimals));
      }
    }
  });

  it('names its tokens as they name themselves', async () => {
    for (const token of chain.tokens) {
      const read = (functionName: 'symbol' | 'name' | 'decimals') =>
        client.readContract({ address: token.address, abi: erc20Abi, functionName });
      expect([await read('symbol'), await read('name'), await read('decimals')]).toEqual([
        token.symbol,
        token.name,
        token.decimals,
      ]);
    }
  });

  it('confirms a transaction without another one', async () => {
    const restore = await snapshotOf(chain);
    const [from, to] = [universe.accounts[8]!.address, universe.accounts[9]!.address];
    const rpc = createJsonRpc(chain.rpcUrl);
    const hash = (await rpc.call('eth_sendTransaction', [{ from, to, value: '0x1' }])) as `0x${string}`;
    const receipt = await client.waitForTransactionReceipt({
      hash,
      confirmations: chain.confirmations + 1,
      pollingInterval: 20,
    });
    expect(receipt.status).toBe('success');
    await restore();
  });

  it('misses no block after it went back to an older state again and again', async () => {
    const rpc = createJsonRpc(chain.rpcUrl);
    for (let round = 0; round < 5; round += 1) {
      const restore = await snapshotOf(chain);
      await rpc.batch(Array.from({ length: 20 }, () => ({ method: 'evm_mine' })));
      await restore();
      const head = Number(await client.getBlockNumber({ cacheTime: 0 }));
      const numbers = Array.from({ length: Math.min(head, 30) }, (_, back) => toHex(head - back));
      const blocks = await rpc.batch(
        numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [number, false] })),
      );
      expect(blocks).not.toContain(null);
    }
  });

  it('simulates calls with overridden balances and code', async () => {
    const account = getAddress(toHex(randomBytes(20))); // an account without balance
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] });
    const weth = CANONICAL.weth;
    const [block] = await client.simulateBlocks({
      blocks: [
        {
          stateOverrides: [{ address: account, balance: parseEther('5') }],
          calls: [
            { from: account, to: weth, value: parseEther('2') },
            { from: account, to: weth, data },
          ],
        },
      ],
    });
    expect(block!.calls.map((call) => [call.status, call.data])).toEqual([
      ['success', '0x'],
      ['success', numberToHex(parseEther('2'), { size: 32 })],
    ]);
    const { data: code } = await client.call({
      to: account,
      stateOverride: [{ address: account, code: '0x5f355f5260205ff3' }],
      data: numberToHex(7, { size: 32 }),
    });
    expect(code).toBe(numberToHex(7, { size: 32 }));
  });
});

describe('the liquidity', () => {
  const v3Path = (chain: DevnetChain, hops: readonly (string | number)[]) =>
    `0x${hops
      .map((hop) =>
        typeof hop === 'number' ? hop.toString(16).padStart(6, '0') : tokenNamed(chain, hop).address.slice(2),
      )
      .join('')}` as const;
  const quoteV3 = async (chain: DevnetChain, hops: readonly (string | number)[], amount: bigint): Promise<bigint> => {
    const { result } = await clientOf(chain).simulateContract({
      address: chain.uniswapV3.quoter,
      abi: v3Quoter,
      functionName: 'quoteExactInput',
      args: [v3Path(chain, hops), amount],
    });
    return result[0];
  };
  const quoteV2 = async (chain: DevnetChain, hops: readonly string[], amount: bigint): Promise<bigint> => {
    const amounts = await clientOf(chain).readContract({
      address: chain.uniswapV2.router,
      abi: v2Router,
      functionName: 'getAmountsOut',
      args: [amount, hops.map((hop) => tokenNamed(chain, hop).address)],
    });
    return amounts.at(-1)!;
  };

  it('has at least fifteen pools on devnet, and others on devnet-l2', () => {
    expect(POOLS.devnet.length).toBeGreaterThanOrEqual(15);
    expect(POOLS['devnet-l2'].length).toBeLessThan(POOLS.devnet.length);
  });

  it('lets the best fee tier depend on the size', async () => {
    const chain = chainNamed(universe, 'devnet');
    const [small, large] = [parseEther('1'), parseEther('60')];
    expect(await quoteV3(chain, ['WETH', 500, 'USDT'], small)).toBeGreaterThan(
      await quoteV3(chain, ['WETH', 3000, 'USDT'], small),
    );
    expect(await quoteV3(chain, ['WETH', 500, 'USDT'], large)).toBeLessThan(
      await quoteV3(chain, ['WETH', 3000, 'USDT'], large),
    );
  });

  it('lets the best venue depend on the size', async () => {
    const chain = chainNamed(universe, 'devnet');
    const [small, large] = [parseUnits('0.001', 8), parseUnits('2', 8)];
    expect(await quoteV2(chain, ['WBTC', 'WETH'], small)).toBeGreaterThan(
      await quoteV3(chain, ['WBTC', 3000, 'WETH'], small),
    );
    expect(await quoteV2(chain, ['WBTC', 'WETH'], large)).toBeLessThan(
      await quoteV3(chain, ['WBTC', 3000, 'WETH'], large),
    );
  });

  it('pays more BRLA for WETH over two pools than over the direct one', async () => {
    const chain = chainNamed(universe, 'devnet');
    const amount = parseEther('0.1');
    expect(await quoteV3(chain, ['WETH', 500, 'USDC', 100, 'BRLA'], amount)).toBeGreaterThan(
      await quoteV2(chain, ['WETH', 'BRLA'], amount),
    );
  });

  it.each(['devnet', 'devnet-l2'] as const)('has no pool with ISLE on %s', async (slug) => {
    const chain = chainNamed(universe, slug);
    const isle = tokenNamed(chain, 'ISLE').address;
    for (const { address } of chain.tokens) {
      const pair = { address: chain.uniswapV2.factory, abi: v2Factory, functionName: 'getPair' } as const;
      expect(await clientOf(chain).readContract({ ...pair, args: [isle, address] })).toBe(ZERO);
      for (const fee of [100, 500, 3000, 10000]) {
        const pool = { address: chain.uniswapV3.factory, abi: v3Factory, functionName: 'getPool' } as const;
        expect(await clientOf(chain).readContract({ ...pool, args: [isle, address, fee] })).toBe(ZERO);
      }
    }
  });

  it('has the same tokens at the same addresses on both chains', () => {
    expect(chainNamed(universe, 'devnet').tokens).toEqual(chainNamed(universe, 'devnet-l2').tokens);
  });
});
