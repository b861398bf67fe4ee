import { KNOWN_CHAINS } from '../../../chains/known-chains';
import { parseEvmAddress } from '../../../chains/addresses';
import { KNOWN_ROWS } from './known-rows';

const duplicatesOf = (texts: readonly string[]): readonly string[] => {
  const keys = texts.map((text) => text.toLowerCase());
  return keys.filter((key, index) => keys.indexOf(key) !== index);
};

it('every id and alias names one strategy, in any case', () => {
  expect(duplicatesOf(KNOWN_ROWS.flatMap(({ id, aliases }) => [id, ...aliases]))).toEqual([]);
});

it('no asset of a market is listed twice', () => {
  const keys = KNOWN_ROWS.map(({ chainId, market, underlying }) => `${String(chainId)} ${market} ${underlying}`);
  expect(duplicatesOf(keys)).toEqual([]);
});

it('ids end with the slug of their chain, which is an EVM chain of the chain table', () => {
  for (const { id, chainId } of KNOWN_ROWS) {
    const chain = KNOWN_CHAINS.find((candidate) => candidate.chainId === chainId);
    expect([id, chain?.kind]).toEqual([id, 'evm']);
    expect(id.endsWith(`-${chain!.slug}`)).toBe(true);
    expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/);
  }
});

it('addresses have their checksum, and dates are dates', () => {
  for (const { market, underlying, startDate } of KNOWN_ROWS) {
    expect([parseEvmAddress(market), parseEvmAddress(underlying)]).toEqual([market, underlying]);
    expect(new Date(startDate).toISOString().slice(0, 10)).toBe(startDate);
  }
});

it('the default strategies of USDC are of the one that Circle issues', () => {
  const defaults = KNOWN_ROWS.filter(({ id, isDefault }) => isDefault && /usdc|usdbc/i.test(id)).map(({ id }) => id);
  expect(defaults.sort()).toEqual([
    'Aave-USDC-avalanche',
    'Aave-USDC-base',
    'Aave-USDC-celo',
    'Aave-USDC-ethereum',
    'Aave-USDCn-arbitrum',
    'Aave-USDCn-optimism',
    'Aave-USDCn-polygon',
  ]);
});

it('the market of Aave on Polygon has both kinds of USDC, and the names that users know', () => {
  const rowOf = (name: string) => KNOWN_ROWS.find(({ id, aliases }) => [id, ...aliases].includes(name))?.underlying;
  expect(rowOf('Aave-USDC-polygon')).toBe('0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174');
  expect(rowOf('Aave-USDCn-polygon')).toBe('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359');
  expect(rowOf('Aave-USDT-polygon')).toBe('0xc2132D05D31c914a87C6611C10748AEb04B58e8F');
});
