import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { getAddress } from 'viem';
import { z } from 'zod';
import { PROJECT_ROOT } from '../src/config/project-root';
import { keepGenerated } from './generated-files';

/*
 * Writes `src/strategies/catalog/rows/aave-<network>.ts` from Aave's address book: the assets of its markets on the networks
 * of the chain table. With `--check` it only compares them.
 */

const BOOK = '@aave-dao/aave-address-book';

interface BookedMarket {
  /** Name of the market in the address book. */
  readonly name: string;
  readonly brand: string;
  readonly chainId: number;
  /** When the market began. */
  readonly startDate: string;
}

const NETWORKS: Readonly<Record<string, readonly BookedMarket[]>> = {
  ethereum: [
    { name: 'AaveV3Ethereum', brand: 'Aave', chainId: 1, startDate: '2023-01-27' },
    { name: 'AaveV3EthereumLido', brand: 'AavePrime', chainId: 1, startDate: '2024-07-24' },
    { name: 'AaveV3EthereumEtherFi', brand: 'AaveEtherFi', chainId: 1, startDate: '2024-09-10' },
  ],
  optimism: [{ name: 'AaveV3Optimism', brand: 'Aave', chainId: 10, startDate: '2022-03-16' }],
  bsc: [{ name: 'AaveV3BNB', brand: 'Aave', chainId: 56, startDate: '2024-01-23' }],
  gnosis: [{ name: 'AaveV3Gnosis', brand: 'Aave', chainId: 100, startDate: '2023-10-04' }],
  polygon: [{ name: 'AaveV3Polygon', brand: 'Aave', chainId: 137, startDate: '2022-03-16' }],
  base: [{ name: 'AaveV3Base', brand: 'Aave', chainId: 8453, startDate: '2023-08-09' }],
  arbitrum: [{ name: 'AaveV3Arbitrum', brand: 'Aave', chainId: 42161, startDate: '2022-03-16' }],
  avalanche: [{ name: 'AaveV3Avalanche', brand: 'Aave', chainId: 43114, startDate: '2022-03-16' }],
  celo: [{ name: 'AaveV3Celo', brand: 'Aave', chainId: 42220, startDate: '2025-03-11' }],
};

const address = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)]).transform((text) => getAddress(text));
const marketSchema = z.object({
  POOL_ADDRESSES_PROVIDER: address,
  CHAIN_ID: z.int(),
  ASSETS: z.record(z.string(), z.object({ UNDERLYING: address, A_TOKEN: address })),
});
const packageSchema = z.object({ version: z.string() });
const listSchema = z.object({ tokens: z.array(z.object({ chainId: z.int(), address, symbol: z.string() })) });

const requireFromProject = createRequire(path.join(PROJECT_ROOT, 'package.json'));
const folder = path.join(path.dirname(requireFromProject.resolve(BOOK)), '..');
const jsonOf = (file: string): unknown => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));

const { version } = packageSchema.parse(jsonOf('package.json'));
const symbols = new Map(
  listSchema
    .parse(jsonOf('tokenlist.json'))
    .tokens.map(({ chainId, address, symbol }) => [`${String(chainId)}:${address}`, symbol]),
);
const book = z.record(z.string(), z.unknown()).parse(requireFromProject(BOOK));

/** Principal tokens of Pendle are collateral, earn no interest in Aave, and end on a date. */
const isOffered = (name: string): boolean => !/^PT_/i.test(name);
const NAME = /^[A-Za-z0-9._]+$/;

function rowsOf(network: string, { name, brand, chainId, startDate }: BookedMarket): string {
  const { POOL_ADDRESSES_PROVIDER, CHAIN_ID, ASSETS } = marketSchema.parse(book[name]);
  if (CHAIN_ID !== chainId) throw new TypeError(`${name} is a market of chain ${String(CHAIN_ID)}`);
  const assets = Object.entries(ASSETS).filter(([asset]) => isOffered(asset) && NAME.test(asset));
  const names = new Set(assets.map(([asset]) => asset.toLowerCase()));
  const prefix = commonPrefix(assets.map(([, { A_TOKEN }]) => symbols.get(`${String(chainId)}:${A_TOKEN}`) ?? ''));
  const lines = assets.map(([asset, { UNDERLYING, A_TOKEN }]) => {
    // The aToken has the name that the asset had when it was listed, which users still know it by.
    const former = (symbols.get(`${String(chainId)}:${A_TOKEN}`) ?? '').slice(prefix.length);
    const isAlias = NAME.test(former) && !names.has(former.toLowerCase());
    if (isAlias) names.add(former.toLowerCase());
    return `    ['${asset}', '${UNDERLYING}'${isAlias ? `, '${former}'` : ''}],`;
  });
  return [
    '  ...aaveRows(',
    '    {',
    `      brand: '${brand}',`,
    `      slug: '${network}',`,
    `      chainId: ${String(chainId)},`,
    `      provider: '${POOL_ADDRESSES_PROVIDER}',`,
    `      startDate: '${startDate}',`,
    '    },',
    '    [',
    ...lines.map((line) => `  ${line}`),
    '    ],',
    '  ),',
  ].join('\n');
}

/** `aPol` of `aPolUSDC`, `aPolWETH` and others. */
function commonPrefix(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const text of others) while (!text.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

keepGenerated(
  Object.entries(NETWORKS).map(([network, markets]) => ({
    file: path.join(PROJECT_ROOT, `src/strategies/catalog/rows/aave-${network}.ts`),
    content: [
      "import type { StrategyRow } from '../../strategy-row';",
      "import { aaveRows } from './aave-rows';",
      '',
      `/** Generated by \`scripts/strategy-rows.ts\` from ${BOOK} ${version}. */`,
      `export const AAVE_${network.toUpperCase()}: readonly StrategyRow[] = [`,
      ...markets.map((market) => rowsOf(network, market)),
      '];',
      '',
    ].join('\n'),
  })),
);
