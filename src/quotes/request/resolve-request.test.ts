import {
  ALICE,
  BOB,
  BOTH,
  CUSTOMER,
  DAI,
  fakeProvider,
  offering,
  PRICED,
  quoteDeps,
  rejection,
  USDC,
} from '../../../test/swaps/swap-world';
import { fakeFiat, fakeRamp } from '../../../test/swaps/fake-fiat';
import type { RawFields } from '../../errors/field-reader';
import { resolveRequest } from './resolve-request';

const NOT_A_TOKEN = '0x000000000000000000000000000000000000dEaD';
const pegged = fakeProvider('pegged', () => Promise.resolve(undefined), { capabilities: { supports: () => false } });
const deps = quoteDeps({ providers: [offering('uniswapV2', 1n), offering('uniswapV3', 1n), pegged] });
const resolve = (changes: RawFields, changed = deps) =>
  resolveRequest(changed, { customerId: CUSTOMER, fields: { ...PRICED, ...changes } });

describe('a request', () => {
  it('is resolved to its tokens and the eligible providers', async () => {
    const { request, providers } = await resolve(BOTH);
    expect(request).toMatchObject({
      tokenIn: USDC,
      tokenOut: DAI,
      side: 'in',
      amount: 5_000_000n,
      originAddress: ALICE,
    });
    expect(providers.map(({ id }) => id)).toEqual(['uniswapV2', 'uniswapV3']);
  });

  it('keeps the refund address and the transfer speed', async () => {
    const { request } = await resolve({ refundAddress: BOB, transferSpeed: 'fast' });
    expect(request).toMatchObject({ refundAddress: BOB, transferSpeed: 'fast' });
    expect((await resolve({})).request).toMatchObject({ refundAddress: undefined, transferSpeed: undefined });
  });

  it('with a text of any length that names no ramp is rejected on routes to fiat, and served between tokens', async () => {
    const toReais = { destinationChain: 'fiat', tokenOut: 'BRL' };
    for (const rampProvider of ['unknown', 'x'.repeat(65), 'x'.repeat(10_000)]) {
      const error = await rejection(resolve({ ...toReais, rampProvider }));
      expect(error).toMatchObject({ code: 'INVALID_RAMP_PROVIDER', status: 400 });
      expect((error as Error).message.length).toBeLessThan(200);
      expect((await resolve({ rampProvider })).request.fiat).toBeUndefined();
    }
  });

  it('is rejected with a different refund address when the ramp refunds only to the sender', async () => {
    const secondary = fakeRamp('secondary', { refundsToSenderOnly: true });
    const database = {
      ...fakeFiat().database,
      customer: { findUnique: () => Promise.resolve({ secondaryRamp: true }) },
    };
    const fiat = fakeFiat({ database: database as never, ramps: { primary: fakeRamp('primary'), secondary } });
    const offRamp = { destinationChain: 'fiat', tokenOut: 'BRL', rampProvider: 'secondary', pixKey: 'ana@example.com' };
    const to = (refundAddress: string) =>
      resolve({ ...offRamp, originAddress: ALICE, refundAddress }, { ...deps, fiat });
    expect(await rejection(to(BOB))).toMatchObject({
      code: 'RAMP_PROVIDER_NOT_ELIGIBLE',
      message: expect.stringContaining('refunds'),
    });
    expect(await rejection(to(ALICE))).not.toMatchObject({ code: 'RAMP_PROVIDER_NOT_ELIGIBLE' });
  });

  it.each<[string, RawFields, RawFields]>([
    ['to fiat', { destinationChain: 'fiat', tokenOut: 'BRL', originAddress: ALICE }, { pixKey: 'ana@example.com' }],
    [
      'from fiat',
      { originChain: 'fiat', tokenIn: 'BRL', amountIn: '10000', destinationAddress: ALICE },
      { originAddress: ALICE },
    ],
  ])('%s with one address is a price, which requires no verified person', async (_, route, otherParty) => {
    const ramp = fakeProvider('primary', () => Promise.resolve(undefined), { capabilities: { supports: () => true } });
    const served = quoteDeps({ providers: [ramp] });
    const { request, providers } = await resolve(route, served);
    expect(request.fiat).toMatchObject({ ramp: 'primary', account: undefined });
    expect(providers).toEqual([ramp]);
    const executable = resolve({ ...route, ...otherParty }, served);
    expect(await rejection(executable)).toMatchObject({ code: 'KYC_PROFILE_NOT_FOUND' });
  });

  it('matches the preferred provider ignoring case, and selects it alone', async () => {
    const { providers } = await resolve({ preferredProvider: 'UNISWAPv3' });
    expect(providers.map(({ id }) => id)).toEqual(['uniswapV3']);
  });

  it.each<[string, RawFields, string]>([
    ['a provider nobody knows', { preferredProvider: 'nobody' }, 'INVALID_PREFERRED_PROVIDER'],
    ['a provider that does not serve the route', { preferredProvider: 'pegged' }, 'PREFERRED_PROVIDER_NOT_ELIGIBLE'],
    [
      'a provider on a chain without RPC endpoint',
      { preferredProvider: 'uniswapV2', originChain: 'ethereum', destinationChain: 'ethereum' },
      'PREFERRED_PROVIDER_NOT_ELIGIBLE',
    ],
    ['a chain that is not served', { originChain: 'ethereum', destinationChain: 'ethereum' }, 'NO_ROUTE_FOUND'],
    ['a route to another chain', { destinationChain: 'base' }, 'NO_ROUTE_FOUND'],
    ['a route from fiat', { originChain: 'fiat', tokenIn: 'BRL' }, 'NO_ROUTE_FOUND'],
    ['a route to fiat', { destinationChain: 'fiat', tokenOut: 'BRL' }, 'NO_ROUTE_FOUND'],
    [
      'a route that the ramp does not serve',
      { destinationChain: 'fiat', tokenOut: 'BRL', rampProvider: 'Primary' },
      'RAMP_PROVIDER_NOT_ELIGIBLE',
    ],
    ['a ramp nobody knows', { destinationChain: 'fiat', tokenOut: 'BRL', rampProvider: 'x' }, 'INVALID_RAMP_PROVIDER'],
    ['Solana', solanaRoute(), 'NO_ROUTE_FOUND'],
    ['sponsored fees', { feeSponsorship: true }, 'FEE_SPONSORSHIP_NOT_ALLOWED'],
  ])('is refused with the code of the contract for %s', async (_, changes, code) => {
    expect(await rejection(resolve(changes))).toMatchObject({ code });
  });

  it.each<[string, RawFields, string]>([
    ['within one chain', BOTH, 'it stays on devnet: only transfers to another chain are sponsored'],
    ['from a chain without a paymaster', { destinationChain: 'base' }, 'devnet has no paymaster'],
    ['from fiat', { originChain: 'fiat', tokenIn: 'BRL' }, 'fiat has no paymaster'],
  ])('says that a route %s has no fee sponsorship', async (_, changes, reason) => {
    const error = await rejection(resolve({ ...changes, feeSponsorship: true }));
    expect(error).toMatchObject({ code: 'FEE_SPONSORSHIP_NOT_ALLOWED', message: expect.stringContaining(reason) });
  });

  it('names the chains that are not served, and those that are', async () => {
    const error = await rejection(resolve({ originChain: 'ethereum', destinationChain: 'ethereum' }));
    expect(error).toMatchObject({
      message: expect.stringContaining('on ethereum (not served by this deployment)'),
      details: { unservedChains: ['ethereum'], servedChains: expect.not.arrayContaining(['ethereum']) },
    });
  });

  it('ignores rampProvider on a route without fiat', async () => {
    await expect(resolve({ rampProvider: 'x' })).resolves.toBeDefined();
  });

  it('names every token that does not exist on its chain', async () => {
    const error = await rejection(resolve({ tokenIn: NOT_A_TOKEN, tokenOut: `0x${'12'.repeat(20)}` }));
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { errors: [{ path: 'tokenIn' }, { path: 'tokenOut' }] },
    });
  });

  it.each(['originAddress', 'destinationAddress', 'refundAddress'])('is refused for a blocked %s', async (field) => {
    const blocked = quoteDeps({ blockedAddresses: new Set([BOB.toLowerCase()]) });
    expect(await rejection(resolve({ [field]: BOB }, blocked))).toMatchObject({ code: 'FORBIDDEN', status: 403 });
  });

  it('has no route when no provider is registered', async () => {
    expect(await rejection(resolve({}, quoteDeps({ providers: [] })))).toMatchObject({ code: 'NO_ROUTE_FOUND' });
  });
});

function solanaRoute(): RawFields {
  const [usdc, wrappedSol] = [
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'So11111111111111111111111111111111111111112',
  ];
  return { originChain: 'solana', destinationChain: 'solana', tokenIn: usdc, tokenOut: wrappedSol };
}
