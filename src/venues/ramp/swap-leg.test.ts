import fc from 'fast-check';
import { DAI, devnet, offerFor, quoteRequest, units, USDC } from '../../../test/swaps/swap-world';
import { createChainTable } from '../../chains/chain-table';
import { subtractShare, MAX_SLIPPAGE, MIN_SLIPPAGE, type PartsPerMillion } from '../../money/slippage';
import { legFromRamp, legToRamp, parsePlan, planJson } from './swap-leg';

const chain = { ...devnet, tokens: [USDC] };
const rampToken = { chain, token: USDC };
const chains = createChainTable([chain]);
const leg = offerFor(quoteRequest());
const digits = fc.bigInt({ min: 0n, max: 10n ** 78n - 1n });

describe('the plan of a route through a ramp token', () => {
  it('is parsed back without loss', () => {
    fc.assert(
      fc.property(digits, digits, (amount, minimum) => {
        const plan = { rampToken, amount: units(amount), leg: { ...leg, minAmountOut: units(minimum) } };
        const stored: unknown = JSON.parse(JSON.stringify(planJson(plan)));
        const read = parsePlan(stored, chains);
        expect([read.amount, read.leg.minAmountOut, read.leg.provider]).toEqual([amount, minimum, leg.provider]);
        expect([read.rampToken.chain.chainId, read.rampToken.token.address]).toEqual([chain.chainId, USDC.address]);
      }),
    );
  });

  it('is rejected once the token is no longer listed, and when it is malformed', () => {
    const stored: unknown = JSON.parse(JSON.stringify(planJson({ rampToken, amount: units(1n), leg })));
    const without = createChainTable([{ ...chain, tokens: [DAI] }]);
    expect(() => parsePlan(stored, without)).toThrow(expect.objectContaining({ code: 'QUOTE_EXPIRED' }) as Error);
    for (const amount of ['-1', '1.5', '', '1e3', 7]) {
      expect(() => parsePlan({ ...(stored as object), amount }, chains)).toThrow('Invalid');
    }
  });
});

describe('the leg between a wallet and the ramp', () => {
  it('uses half of the slippage, so that both parts keep the minimum of the quote', () => {
    const share = fc.bigInt({ min: MIN_SLIPPAGE, max: MAX_SLIPPAGE }) as fc.Arbitrary<PartsPerMillion>;
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 60n }), share, (amount, slippage) => {
        const request = quoteRequest({ slippage, amount: units(amount) });
        const half = legToRamp(request, rampToken).slippage;
        expect(legFromRamp(request, rampToken, units(amount)).slippage).toBe(half);
        // Each part rounds down once.
        expect(subtractShare(subtractShare(units(amount), half), half) + 2n).toBeGreaterThanOrEqual(
          subtractShare(units(amount), slippage),
        );
      }),
    );
  });

  it.each(['fast', 'standard', undefined] as const)('has the requested speed: %p', (transferSpeed) => {
    const request = quoteRequest({ transferSpeed });
    expect(legToRamp(request, rampToken).transferSpeed).toBe(transferSpeed);
    expect(legFromRamp(request, rampToken, units(7n)).transferSpeed).toBe(transferSpeed);
  });

  it('starts or ends at the ramp token, for the wallet of the customer', () => {
    const request = quoteRequest({ originAddress: '0xa', destinationAddress: '0xb', refundAddress: '0xc' });
    expect(legToRamp(request, rampToken)).toMatchObject({
      tokenIn: request.tokenIn,
      tokenOut: USDC,
      side: 'in',
      originAddress: '0xa',
      refundAddress: '0xc',
      destinationAddress: undefined,
    });
    expect(legFromRamp(request, rampToken, units(7n))).toMatchObject({
      tokenIn: USDC,
      tokenOut: request.tokenOut,
      side: 'in',
      amount: 7n,
      destinationAddress: '0xb',
      originAddress: undefined,
    });
  });
});
