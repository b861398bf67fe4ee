import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { withTokenLists } from './load-token-lists';

const UNI = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const directory = mkdtempSync(path.join(tmpdir(), 'token-lists-'));
afterAll(() => rmSync(directory, { recursive: true }));

const listFile = (name: string, content: unknown): string => {
  const file = path.join(directory, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
};

const uni = { chainId: 1, address: UNI.toLowerCase(), symbol: 'UNI', name: 'Uniswap', decimals: 18 };
const tokensOf = (files: string | undefined, problems: string[] = []) =>
  createChainTable(withTokenLists(KNOWN_CHAINS, files, problems)).get(1).tokens;

describe('token lists', () => {
  it('add their tokens to the chains of the tokens, with checksummed addresses', () => {
    const file = listFile('one.json', { name: 'one', tokens: [uni, { ...uni, chainId: 424_242 }] });
    expect(tokensOf(file)).toContainEqual({ address: UNI, symbol: 'UNI', name: 'Uniswap', decimals: 18 });
    expect(tokensOf(file)).toHaveLength(tokensOf(undefined).length + 1);
  });

  it('never replace a token of the chain or of an earlier list', () => {
    const [known] = tokensOf(undefined);
    const files = [
      listFile('first.json', { tokens: [uni, { ...uni, address: known!.address, symbol: 'FAKE' }] }),
      listFile('second.json', { tokens: [{ ...uni, symbol: 'OTHER' }] }),
    ].join(',');
    expect(tokensOf(files).find(({ address }) => address === known!.address)).toEqual(known);
    expect(tokensOf(files).find(({ address }) => address === UNI)?.symbol).toBe('UNI');
  });

  it('skip invalid addresses', () => {
    const file = listFile('bad-address.json', { tokens: [{ ...uni, address: '0x12' }] });
    expect(tokensOf(file)).toEqual(tokensOf(undefined));
  });

  it('are reported when a file is missing or is no token list', () => {
    const problems: string[] = [];
    tokensOf(`${path.join(directory, 'absent.json')}, ${listFile('no-list.json', { tokens: [{}] })}`, problems);
    expect(problems).toHaveLength(2);
    expect(problems[1]).toContain('tokens.0.chainId');
  });
});
