import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { environmentSchema } from './environment-schema';
import { indexedChainProblems, indexedChains } from './indexed-chains';

test.each([
  ['on', true, true],
  ['off', false, false],
  ['base', true, false],
  ['polygon, base', true, true],
])('INDEX_WALLETS=%s includes base: %s, and polygon: %s', (setting, base, polygon) => {
  expect(['base', 'polygon'].map(indexedChains(setting))).toEqual([base, polygon]);
});

test('a slug that is no EVM or Solana chain is a problem with its name', () => {
  const problems = indexedChainProblems('base,solana,fiat,atlantis', createChainTable(KNOWN_CHAINS));
  expect(problems).toEqual([
    'INDEX_WALLETS: fiat is not an EVM or Solana chain of this deployment',
    'INDEX_WALLETS: atlantis is not an EVM or Solana chain of this deployment',
  ]);
  expect(indexedChainProblems('off', createChainTable([]))).toEqual([]);
});

test('no chain is recorded unless INDEX_WALLETS says so', () => {
  expect(environmentSchema.shape.INDEX_WALLETS.parse(undefined)).toBe('off');
});
