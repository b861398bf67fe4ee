import type { Address } from 'viem';

/** Where the contracts live on the main network, and therefore here. */
export const CANONICAL = {
  weth: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  create2Factory: '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  v2Factory: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
  v2Router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
  v3Factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
  v3TickLens: '0xbfd8137f7d1516D3ea5cA83523914859ec47F573',
  v3NftDescriptor: '0x42B24A95702b9986e82d421cC3568932790A48Ec',
  v3PositionDescriptor: '0x91ae842A5Ffd8d12023116943e72A606179294f3',
  v3PositionManager: '0xC36442b4a4522E871399CD717aBDD847Ab11FE88',
  v3Quoter: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
  v3Router: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
} as const satisfies Record<string, Address>;

/** The accounts that deployed them. With the same nonces the same addresses come out. */
export const DEPLOYERS = {
  weth: '0x4F26FfBe5F04ED43630fdC30A87638d53D0b0876',
  multicall3: '0x05f32B3cC3888453ff71B01135B34FF8e41263F2',
  v2: '0x9C33eaCc2F50E39940D3AfaF2c7B8246B681A374',
  v3: '0x6C9FC64A53c1b71FB3f9Af64d1ae3A4931A5f4E9',
} as const satisfies Record<string, Address>;
