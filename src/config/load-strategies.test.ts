import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { loadStrategies } from './load-strategies';

const chains = createChainTable(KNOWN_CHAINS);
const folder = mkdtempSync(path.join(tmpdir(), 'strategies-'));
const MARKET = '0x2f39d218133AFaB8F2B819B1066c7E434Ad94E9e';
const row = {
  id: 'Aave-USDC-ethereum',
  protocol: 'aave-v3',
  brand: 'Aave',
  chainId: 1,
  market: MARKET,
  underlying: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  startDate: '2023-01-27',
};

function load(content: unknown) {
  const file = path.join(folder, 'strategies.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  const problems: string[] = [];
  return { rows: loadStrategies(file, chains, problems), problems };
}

describe('STRATEGIES_FILE', () => {
  it('needs what identifies a strategy, and has defaults for the rest', () => {
    const { rows, problems } = load([row]);
    expect(problems).toEqual([]);
    expect(rows).toEqual([
      {
        ...row,
        underlying: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        aliases: [],
        categories: [],
        isDefault: false,
        paused: false,
        trustMax: true,
        knownFeeBps: 0,
        metadata: {},
      },
    ]);
  });

  it('is refused with all problems at once, in words, each with its place', () => {
    const bad = {
      ...row,
      id: 'no spaces',
      protocol: 'aave-v9',
      market: MARKET.replace('f', 'F'),
      startDate: '27.1.2023',
    };
    const { problems } = load([
      bad,
      { ...row, chainId: '1', knownFeeBps: -1, unknown: 1, metadata: [] },
      { ...row, metadata: { text: 'x'.repeat(10_001) } },
    ]);
    expect(problems).toEqual([
      expect.stringMatching(/^STRATEGIES_FILE: 0\.id must have at most 128 letters/),
      'STRATEGIES_FILE: 0.protocol must be one of aave-v3, erc4626, erc7540, compound-v3, tokenized-stock',
      'STRATEGIES_FILE: 0.market is not an EVM address with a valid checksum',
      'STRATEGIES_FILE: 0.startDate must be a date such as 2026-01-31',
      'STRATEGIES_FILE: 1.chainId must be a number',
      'STRATEGIES_FILE: 1.knownFeeBps must be at least 0',
      expect.stringMatching(/^STRATEGIES_FILE: 1\.metadata must be /),
      'STRATEGIES_FILE: 1 has unknown properties: unknown',
      'STRATEGIES_FILE: 2.metadata must have at most 10000 characters as JSON',
    ]);
  });

  it('is refused with chains that are unknown or have no contracts of this kind', () => {
    const { problems } = load([
      { ...row, chainId: 424_242 },
      { ...row, chainId: 1_151_111_081_099_710 },
    ]);
    expect(problems).toEqual([
      'STRATEGIES_FILE: 0.chainId is not a chain of this deployment. Describe it in CHAINS_FILE',
      'STRATEGIES_FILE: 1.chainId must be an EVM chain',
    ]);
  });

  it.each([
    ['not JSON', '[{'],
    ['no list', '{}'],
  ])('is refused when it is %s', (_, content) => {
    const { rows, problems } = load(content);
    expect([rows, problems.length]).toEqual([[], 1]);
    expect(problems[0]).toMatch(/^STRATEGIES_FILE: /);
  });

  it('is refused when it is absent, and has no rows without a setting', () => {
    const problems: string[] = [];
    expect(loadStrategies(path.join(folder, 'absent.json'), chains, problems)).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^STRATEGIES_FILE: cannot be read: /)]);
    expect(loadStrategies(undefined, chains, [])).toEqual([]);
  });
});
