import { fakeRamp } from '../../../test/swaps/fake-fiat';
import { BRL, DAI, devnet, quoteRequest, USDC } from '../../../test/swaps/swap-world';
import type { Chain } from '../../chains/chain';
import { createChainTable } from '../../chains/chain-table';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import type { RampRoute } from '../../ramps/ramp-provider';
import { rampTokensFor } from './ramp-tokens';

const fiat = createChainTable(KNOWN_CHAINS).get(BRL.chainId);
const chainWith = (chainId: number, changes: Partial<Chain> = {}): Chain => ({
  ...devnet,
  slug: `chain-${String(chainId)}`,
  chainId,
  tokens: [USDC, DAI],
  ...changes,
});
const CHAINS = [1, 2, 3, 4, 5, 6].map((number) => chainWith(31_000 + number));
const [first, second] = CHAINS as [Chain, Chain];

/** A ramp that supports a token on some chains. */
const dealing = (chainIds: readonly number[], symbol = 'USDC') =>
  fakeRamp('primary', {
    supports: ({ token, chain }: RampRoute) => token.symbol === symbol && chainIds.includes(chain.chainId),
  });

const terms = { ramp: 'primary', name: 'first', rail: 'PIX', thirdParty: false, account: undefined } as const;
const selling = (symbol: 'USDC' | 'DAI', origin = first) =>
  quoteRequest({
    origin,
    destination: fiat,
    tokenIn: symbol === 'USDC' ? USDC : DAI,
    tokenOut: BRL,
    fiat: { ...terms, payout: undefined },
  });
const buying = (destination = first) =>
  quoteRequest({
    origin: fiat,
    destination,
    tokenIn: BRL,
    tokenOut: DAI,
    fiat: { ...terms, payout: undefined },
  });
const idsOf = (chainIds: readonly number[], request = selling('DAI'), chains: readonly Chain[] = CHAINS) =>
  rampTokensFor({ ramp: dealing(chainIds), chains: createChainTable([...KNOWN_CHAINS, ...chains]) }, request).map(
    ({ chain, token }) => [chain.chainId, token.chainId, token.symbol],
  );

describe('the ramp tokens of a request', () => {
  it('are empty for a token that the ramp supports, and between two chains', () => {
    expect(idsOf([31_001], selling('USDC'))).toEqual([]);
    expect(idsOf([31_001], quoteRequest())).toEqual([]);
  });

  it('are those of the same chain if there are any, for on-ramps and off-ramps', () => {
    expect(idsOf([31_001, 31_002])).toEqual([[31_001, 31_001, 'USDC']]);
    expect(idsOf([31_001, 31_002], buying())).toEqual([[31_001, 31_001, 'USDC']]);
  });

  it('are otherwise those of at most four other EVM chains', () => {
    expect(idsOf([31_002], selling('DAI', second))).toEqual([[31_002, 31_002, 'USDC']]);
    expect(idsOf([31_002, 31_003], selling('DAI'))).toEqual([
      [31_002, 31_002, 'USDC'],
      [31_003, 31_003, 'USDC'],
    ]);
    expect(idsOf([31_002, 31_003, 31_004, 31_005, 31_006])).toHaveLength(4);
    const elsewhere = [first, chainWith(31_002, { kind: 'solana' })];
    expect(idsOf([31_002], selling('DAI'), elsewhere)).toEqual([]);
  });

  it('are empty between BRL and a BRL token that the ramp supports on no chain', () => {
    const BRLA = { ...DAI, symbol: 'BRLA', address: '0x00000000000000000000000000000000000B41A0' };
    const listing = CHAINS.map((chain) => ({ ...chain, tokens: [USDC, DAI, BRLA] }));
    const chains = createChainTable([...KNOWN_CHAINS, ...listing]);
    const fields = { origin: listing[0]!, destination: fiat, tokenIn: BRLA, tokenOut: BRL };
    const request = quoteRequest({ ...fields, fiat: { ...terms, payout: undefined } });
    const inDollars = dealing([31_001]);
    expect(rampTokensFor({ ramp: inDollars, chains }, request)).toEqual([]);
    expect(rampTokensFor({ ramp: inDollars, chains }, { ...request, tokenIn: DAI })).toHaveLength(1);
    // Supported on another chain: the token is a ramp token there.
    const inBoth = fakeRamp('primary', {
      supports: ({ token, chain }: RampRoute) =>
        chain.chainId === 31_001 ? token.symbol === 'USDC' : token.symbol === 'BRLA',
    });
    expect(rampTokensFor({ ramp: inBoth, chains }, request)).toMatchObject([{ token: { symbol: 'USDC' } }]);
    const USD = { ...BRL, address: 'USD', symbol: 'USD' };
    expect(rampTokensFor({ ramp: inDollars, chains }, { ...request, tokenOut: USD })).toHaveLength(1);
  });

  it('are empty for a ramp without tokens', () => {
    expect(idsOf([])).toEqual([]);
  });
});
