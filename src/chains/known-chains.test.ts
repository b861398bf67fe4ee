import { getAddress } from 'viem';
import { parseSolanaAddress } from './addresses';
import type { Chain } from './chain';
import { createChainTable } from './chain-table';
import { KNOWN_CHAINS } from './known-chains';

const evmChains = KNOWN_CHAINS.filter((chain) => chain.kind === 'evm');

function addressesOf(chain: Chain): string[] {
  const contracts = [chain.uniswapV2, chain.uniswapV3].flatMap((venue) => Object.values<string>({ ...venue }));
  const tokens = [...chain.connectors, ...chain.dollarTokens, ...chain.tokens.map((token) => token.address)];
  return [...contracts, ...tokens, ...(chain.wrappedNative === undefined ? [] : [chain.wrappedNative])];
}

describe('the known chains', () => {
  it('have the documented slugs and ids', () => {
    expect(Object.fromEntries(KNOWN_CHAINS.map((chain) => [chain.slug, chain.chainId]))).toEqual({
      ethereum: 1,
      optimism: 10,
      bsc: 56,
      gnosis: 100,
      polygon: 137,
      base: 8453,
      arbitrum: 42161,
      avalanche: 43114,
      celo: 42220,
      solana: 1_151_111_081_099_710,
      bitcoin: 20_000_000_000_001,
      fiat: 0,
    });
    expect(createChainTable(KNOWN_CHAINS).find('Mainnet')?.chainId).toBe(1);
  });

  it.each(evmChains.map((chain) => [chain.slug, chain] as const))(
    'write every address of %s checksummed',
    (_, chain) => {
      for (const address of addressesOf(chain)) expect(address).toBe(getAddress(address.toLowerCase()));
    },
  );

  it.each(evmChains.map((chain) => [chain.slug, chain] as const))('list the connectors of %s as tokens', (_, chain) => {
    const listed = new Set(chain.tokens.map((token) => token.address));
    expect(listed.size).toBe(chain.tokens.length);
    for (const address of [...chain.connectors, ...chain.dollarTokens]) expect(listed).toContain(address);
    if (chain.wrappedNative !== undefined) expect(listed).toContain(chain.wrappedNative);
  });

  it('have a logo each, at an https URL, except bank money', () => {
    const [fiat, ...others] = [...KNOWN_CHAINS].sort((one, other) => one.chainId - other.chainId);
    expect(fiat?.logoURI).toBeUndefined();
    const logos = others.map(({ logoURI }) => logoURI);
    expect(logos).toEqual(others.map(() => expect.stringMatching(/^https:\/\/.*\/info\/logo\.png$/)));
    expect(new Set(logos).size).toBe(others.length);
  });

  it('list Solana mints that are public keys', () => {
    const solana = KNOWN_CHAINS.find((chain) => chain.kind === 'solana');
    for (const token of solana!.tokens) expect(parseSolanaAddress(token.address)).toBe(token.address);
  });
});
