import type { Hex } from 'viem';
import { fakeRamp } from '../../../test/swaps/fake-fiat';
import {
  ALICE,
  BOB,
  BRL,
  CUSTOMER,
  devnet,
  offerFor,
  quoteRequest,
  rejection,
  USDC,
} from '../../../test/swaps/swap-world';
import { createChainTable } from '../../chains/chain-table';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import { isServiceError } from '../../errors/service-error';
import { uuidV7 } from '../../persistence/uuid-v7';
import type { Rpc } from '../../rpc/rpc';
import { createRampQuoteProvider } from './ramp-quote-provider';
import { assertFallbackReachable, assertRefundsTo } from './refund-address';

const fiat = createChainTable(KNOWN_CHAINS).get(BRL.chainId);
const elsewhere = { ...devnet, chainId: 31_338, name: 'Elsewhere' };
const CONTRACT: Hex = '0x6080';
const DELEGATED: Hex = `0xEF0100${'ab'.repeat(20)}`;

/** Chains on which the address has this code. */
const rpcWith = (
  codes: Readonly<Record<number, Hex>>,
): { readonly rpc: Pick<Rpc, 'request'>; readonly requests: number[] } => {
  const requests: number[] = [];
  const rpc: Pick<Rpc, 'request'> = {
    request: (chainId, question) => {
      requests.push(chainId);
      return question({ getCode: () => Promise.resolve(codes[chainId]) } as never);
    },
  };
  return { rpc, requests };
};

/** To or from USDC on this chain, by USDC on the other one. */
const route = (direction: 'in' | 'out', address: string | undefined, own = devnet) => ({
  request: {
    fiat: undefined,
    ...(direction === 'in' ? { origin: fiat, destination: own } : { origin: own, destination: fiat }),
  },
  rampToken: { chain: elsewhere, token: USDC },
  address,
});
const isOffered = async (codes: Readonly<Record<number, Hex>>, direction: 'in' | 'out' = 'out'): Promise<boolean> => {
  const refusal: unknown = await assertFallbackReachable(rpcWith(codes), route(direction, ALICE)).catch(
    (error: unknown) => error,
  );
  if (refusal !== undefined) expect(refusal).toMatchObject({ code: 'RAMP_PROVIDER_NOT_ELIGIBLE' });
  return refusal === undefined;
};

describe('a route between chains that fails with a token on the other chain', () => {
  const [HERE, THERE] = [devnet.chainId, elsewhere.chainId];

  it.each(['in', 'out'] as const)('is offered only to wallets that exist there (%s)', async (direction) => {
    expect(await isOffered({}, direction)).toBe(true);
    expect(await isOffered({ [HERE]: CONTRACT }, direction)).toBe(false);
    expect(await isOffered({ [HERE]: CONTRACT, [THERE]: CONTRACT }, direction)).toBe(true);
    expect(await isOffered({ [THERE]: CONTRACT }, direction)).toBe(true);
  });

  it('is offered to accounts that delegate to a contract, because their key works on every chain', async () => {
    expect(await isOffered({ [HERE]: DELEGATED })).toBe(true);
    expect(await isOffered({ [HERE]: CONTRACT, [THERE]: DELEGATED })).toBe(false);
  });

  it('reports how to resolve it', async () => {
    const refused = (direction: 'in' | 'out') =>
      rejection(assertFallbackReachable(rpcWith({ [HERE]: CONTRACT }), route(direction, ALICE)));
    expect(String(await refused('out'))).toContain('use a refundAddress that exists on both chains');
    expect(String(await refused('in'))).toContain('use a wallet that exists on both chains');
  });

  it('needs no read for a price without wallets, or within one chain', async () => {
    const { rpc, requests } = rpcWith({ [HERE]: CONTRACT });
    await assertFallbackReachable({ rpc }, route('out', undefined));
    await assertFallbackReachable({ rpc }, route('out', ALICE, elsewhere));
    expect(requests).toEqual([]);
  });
});

describe('a ramp that refunds to the sender alone', () => {
  const ramp = { refundsToSenderOnly: true };
  const requests = { name: 'second', direction: 'offRamp', sender: ALICE, refundAddress: BOB } as const;
  const codeOf = (...parameters: Parameters<typeof assertRefundsTo>): unknown => {
    try {
      assertRefundsTo(...parameters);
      return undefined;
    } catch (error) {
      return isServiceError(error) ? error.code : error;
    }
  };

  it('is not eligible for refunds to another wallet', () => {
    expect(codeOf(ramp, requests)).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
  });

  it('is eligible for refunds to the sender, without a sender, and for on-ramps', () => {
    expect(codeOf(ramp, { ...requests, refundAddress: ALICE })).toBeUndefined();
    expect(codeOf(ramp, { ...requests, refundAddress: undefined })).toBeUndefined();
    expect(codeOf(ramp, { ...requests, sender: undefined })).toBeUndefined();
    expect(codeOf(ramp, { ...requests, direction: 'onRamp' })).toBeUndefined();
  });

  it('opens no ticket for refunds to another wallet when the sender is given only then', async () => {
    const secondary = fakeRamp('secondary', ramp);
    const unused = {} as never;
    const venue = createRampQuoteProvider({
      ramp: secondary,
      tickets: unused,
      rpc: unused,
      solana: unused,
      transferInstructions: unused,
    });
    const account = { accountId: 'account', kycUserId: uuidV7() };
    const fiatTerms = {
      ramp: 'secondary',
      name: 'second',
      rail: 'PIX',
      thirdParty: false,
      account,
      payout: undefined,
    } as const;
    const request = { ...quoteRequest({ destination: fiat, tokenOut: BRL, refundAddress: BOB }), fiat: fiatTerms };
    const action = { id: uuidV7(), quoteId: uuidV7(), customerId: CUSTOMER };
    const opening = venue.build(
      { request, quote: offerFor(request, { priced: 5n }), sender: ALICE, recipient: 'pix', deadline: 0, action },
      AbortSignal.timeout(1000),
    );
    expect(await rejection(opening)).toMatchObject({ code: 'RAMP_PROVIDER_NOT_ELIGIBLE' });
  });

  it('differs from a ramp that accepts a refund address', () => {
    expect(codeOf({}, requests)).toBeUndefined();
  });
});
