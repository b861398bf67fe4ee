import {
  ALICE,
  BRL,
  CUSTOMER,
  DAI,
  devnet,
  devnetL2,
  L2_USDC,
  offerFor,
  quoteRequest,
  USDC,
} from '../../test/swaps/swap-world';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import type { Transaction } from '../persistence/database';
import type { QuoteRequest, RouteLeg } from '../venues/quote-provider';
import type { ActionPlan } from './action-plan';
import type { Executable } from './execution/executable';
import { startSwapAction } from './start-swap-action';

const fiat = createChainTable(KNOWN_CHAINS).get(BRL.chainId);
const terms = { ramp: 'primary', name: 'first', rail: 'PIX', thirdParty: false } as const;
const leg = (protocol: string, chainId: number): RouteLeg => ({
  protocol,
  chainId,
  tokenIn: 'in',
  tokenOut: 'out',
  shareBps: 10_000,
  pool: 'pool',
});

/** The steps of an action: kind, operator, protocol and chain of each. */
async function stepsOf(ends: Partial<QuoteRequest>, route: readonly RouteLeg[]) {
  const plans: ActionPlan[] = [];
  const request = quoteRequest({ ...ends, fiat: { ...terms, account: undefined, payout: undefined } });
  const order = {
    actionId: 'action',
    customerId: CUSTOMER,
    quoteId: 'quote',
    request,
    offer: offerFor(request, { route }),
    deadline: new Date(),
    sender: ALICE,
    recipient: ALICE,
    webhookUrl: undefined,
    isQuoteOnly: false,
    amountInUsd: undefined,
    amountOutUsd: undefined,
    feeLines: [],
  };
  const startAction = (_tx: Transaction, plan: ActionPlan) => Promise.resolve(void plans.push(plan));
  const executable = { kind: 'payment', chainId: BRL.chainId, rail: 'PIX', reference: 'ticket' };
  const deps = { startAction, providers: [], actionExpirySeconds: 86_400 };
  await startSwapAction({ deps, tx: {} as Transaction }, order, executable as Executable);
  return plans[0]!.steps.map(({ kind, operator, protocol, chainId }) => [kind, operator, protocol, chainId]);
}

describe('the steps of an action through a ramp', () => {
  const inTo = (destination: typeof devnet, tokenOut = DAI) => ({ origin: fiat, tokenIn: BRL, destination, tokenOut });
  const outOf = (origin: typeof devnet, tokenIn = DAI) => ({ origin, tokenIn, destination: fiat, tokenOut: BRL });
  const [here, there] = [devnet.chainId, devnetL2.chainId];
  const ramp = leg('first', here);

  it('are a transfer and a payment when the ramp supports the token', async () => {
    expect(await stepsOf(inTo(devnet, USDC), [ramp])).toEqual([
      ['FIAT_IN', 'USER', 'first', 0],
      ['TRANSFER', 'PROVIDER', 'first', here],
    ]);
    expect(await stepsOf(outOf(devnet, USDC), [ramp])).toEqual([
      ['TRANSFER', 'USER', 'first', here],
      ['FIAT_OUT', 'PROVIDER', 'first', 0],
    ]);
  });

  it('include a swap for another token: by the service for on-ramps, by the user for off-ramps', async () => {
    const swap = leg('uniswap-v3', here);
    expect(await stepsOf(inTo(devnet), [ramp, swap, swap])).toEqual([
      ['FIAT_IN', 'USER', 'first', 0],
      ['SWAP', 'SERVICE', 'uniswap-v3', here],
    ]);
    expect(await stepsOf(outOf(devnet), [swap, swap, ramp])).toEqual([
      ['SWAP', 'USER', 'uniswap-v3', here],
      ['FIAT_OUT', 'PROVIDER', 'first', 0],
    ]);
  });

  it('include a bridge when the ramp is on another chain', async () => {
    expect(await stepsOf(inTo(devnetL2, L2_USDC), [ramp, leg('cctp', here)])).toEqual([
      ['FIAT_IN', 'USER', 'first', 0],
      ['BRIDGE', 'SERVICE', 'cctp', there],
    ]);
    expect(await stepsOf(outOf(devnetL2, L2_USDC), [leg('cctp', there), ramp])).toEqual([
      ['BRIDGE', 'USER', 'cctp', there],
      ['FIAT_OUT', 'PROVIDER', 'first', 0],
    ]);
  });
});
