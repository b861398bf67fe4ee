import { setTimeout as wait } from 'node:timers/promises';
import { type Address, type Hex, numberToHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { toBaseUnits } from '../../src/money/base-units';
import { parseSlippage } from '../../src/money/slippage';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { createQuoteRequester } from '../../src/venues/request-provider-quote';
import type { DeliveryState, BridgeTransfer } from '../../src/venues/delivery-source';
import type { DeliveryProvider } from '../../src/venues/delivery-provider';
import { createRampSwapProvider } from '../../src/venues/ramp/ramp-swap-provider';
import type { ProviderExecution, ProviderQuote, QuoteRequest } from '../../src/venues/quote-provider';
import type { PayoutDestination } from '../../src/ramps/ramp-provider';
import { createTicketStore } from '../../src/ramps/ticket-store';
import { createServiceWallet } from '../../src/rpc/service-wallet';
import { type LocalCctp, readerOf, sendCall, startLocalCctp, usdcOf } from '../contract/cctp-transfers';
import { asChain, localToken, rpcOf, sendLocally } from '../contract/local-swaps';
import { type LocalPrimaryRamp, startLocalPrimaryRamp } from '../contract/primary-ramp-world';
import { gasPricer, serviceTransactionStore } from '../setup/gas';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { testVault } from '../swaps/fake-fiat';
import { BRL, silent } from '../swaps/swap-world';

/** Shorter than a test may take, so that a transfer that never ends is reported with its stages. */
const TIMEOUT_MS = 90_000;
const key = generatePrivateKey();
const PIX: PayoutDestination = { rail: 'PIX', pixKey: 'ana@example.com', thirdParty: false };

let universe: TestUniverse;
let test: TestDatabase;
let cctp: LocalCctp;
let local: LocalPrimaryRamp;
let venue: DeliveryProvider;
beforeAll(async () => {
  universe = await universeOfTests();
  [test, cctp, local] = await Promise.all([
    createTestDatabase(),
    startLocalCctp(universe),
    startLocalPrimaryRamp(universe),
  ]);
  const chains = createChainTable([...KNOWN_CHAINS, asChain(cctp.here), asChain(cctp.there)]);
  const rpc = rpcOf(universe.chains);
  const { database } = test;
  const store = serviceTransactionStore(database);
  // The ramp supports only one of the chains.
  venue = createRampSwapProvider({
    ramp: local.ramp,
    chains,
    rpc,
    venues: [cctp.provider],
    tickets: createTicketStore({ database, vault: testVault, chains }),
    requestProviderQuote: createQuoteRequester({ budgetMs: 60_000, log: silent }),
    serviceWallet: createServiceWallet({ key, rpc, store, priceGas: gasPricer(), log: silent }),
  });
  const params = [privateKeyToAddress(key), numberToHex(10n ** 19n)];
  await readerOf(cctp.here).request({ method: 'anvil_setBalance' as never, params: params as never });
});
afterEach(async () => {
  await cctp.steer('reset');
  await local.steer({ payouts: 'pay', brlPerUsdc: '5.40' });
});
afterAll(async () => {
  await Promise.all([cctp.stop(), local.stop(), test.drop()]);
});

const timeout = (): AbortSignal => AbortSignal.timeout(90_000);
const usdc = () => localToken(cctp.there, 'USDC');

interface Started {
  readonly transfer: BridgeTransfer;
  readonly execution: ProviderExecution;
}

/** Quotes a request and makes it executable, as a new action. */
async function started(
  request: QuoteRequest,
  payout: PayoutDestination | undefined,
  meanwhile?: () => Promise<void>,
): Promise<Started & { quote: ProviderQuote }> {
  const fiat = {
    ramp: 'primary',
    name: 'first',
    rail: 'PIX',
    thirdParty: false,
    account: { ...local.account, kycUserId: uuidV7() },
    payout,
  } as const;
  const fiatRequest = { ...request, fiat };
  expect(venue.capabilities.supports(fiatRequest)).toBe(true);
  const quote = (await venue.quote(fiatRequest, timeout()))!;
  await meanwhile?.();
  const action = { id: uuidV7(), quoteId: uuidV7(), customerId: uuidV7() as CustomerId };
  const [sender, recipient] = [request.originAddress!, request.destinationAddress!];
  const deadline = Math.floor(Date.now() / 1000) + 300;
  const execution = await venue.build({ request: fiatRequest, quote, sender, recipient, deadline, action }, timeout());
  const place = { actionId: action.id, request: fiatRequest, quote, sender, recipient };
  return { execution, quote, transfer: { ...place, originTxHash: undefined, checkpoint: undefined } };
}

const stageOf = (state: DeliveryState): string => (state.status === 'inFlight' ? state.waitingFor : state.status);

/** Polls like the delivery loop until the end, and completes the transfer when required. */
async function followed(
  given: BridgeTransfer,
): Promise<{ readonly state: DeliveryState; readonly stages: readonly string[] }> {
  const [deadline, stages] = [Date.now() + TIMEOUT_MS, [] as string[]];
  let [transfer, last]: [BridgeTransfer, unknown] = [given, undefined];
  while (Date.now() < deadline) {
    const state = await venue.deliveries.follow(transfer, timeout()).catch((error: unknown) => (last = error));
    if (!(state instanceof Error)) {
      const seen = state as DeliveryState;
      if (stages.at(-1) !== stageOf(seen)) stages.push(stageOf(seen));
      const checkpoint: unknown =
        seen.checkpoint === undefined ? transfer.checkpoint : JSON.parse(JSON.stringify(seen.checkpoint));
      transfer = { ...transfer, checkpoint };
      if (seen.status === 'inFlight' && seen.waitingFor === 'COMPLETION') await completed(transfer);
      if (['delivered', 'refunded', 'failed'].includes(seen.status)) return { state: seen, stages };
    }
    await wait(50);
  }
  throw new Error(`still ${String(stages)}: ${String(last)}`);
}

/** Completes the transfer from an unrelated account. */
async function completed(transfer: BridgeTransfer): Promise<void> {
  const call = await venue.deliveries.completion!(transfer, timeout());
  if (call === undefined) return;
  const chain = call.chainId === cctp.there.chainId ? cctp.there : cctp.here;
  await sendCall(chain, universe.accounts[9]!, call);
}

const slippage = parseSlippage('0.005')!;
const customer = (): Address => privateKeyToAddress(generatePrivateKey());

it.each([
  ['the settlement', '5.40'],
  ['a settlement slightly below the quoted amount', '5.41'],
])('transfers %s from the chain of the ramp to the chain of the customer', async (_, brlPerUsdc) => {
  const recipient = customer();
  const route = { tokenIn: BRL, tokenOut: usdc(), side: 'in', amount: toBaseUnits(50_000n), slippage } as const;
  const { transfer, quote, execution } = await started(
    {
      ...route,
      origin: fiatChain(),
      destination: asChain(cctp.there),
      originAddress: recipient,
      destinationAddress: recipient,
    },
    undefined,
    () => local.steer({ brlPerUsdc }),
  );
  expect(quote.route.map(({ protocol, chainId }) => [protocol, chainId])).toEqual([
    ['first', cctp.here.chainId],
    ['cctp', cctp.here.chainId],
  ]);
  if (execution.kind !== 'payment') throw new Error('not a payment');
  await local.control(`tickets/${execution.reference}/pay`, {});
  const { state, stages } = await followed(transfer);
  const received = await usdcOf(cctp.there, recipient);
  expect(state).toMatchObject({ status: 'delivered', amount: received, partial: false });
  expect(received).toBeGreaterThanOrEqual(quote.minAmountOut);
  expect(stages).toEqual(expect.arrayContaining(['DESTINATION', 'COMPLETION', 'delivered']));
  // The wallet of the service keeps nothing of the settlement.
  const sent = await test.database.serviceTransaction.findMany({ where: { actionId: transfer.actionId } });
  expect(sent.filter(({ purpose }) => purpose === 'ramp-payment')).toHaveLength(1);
  expect(await usdcOf(cctp.here, privateKeyToAddress(key))).toBe(0n);
});

it.each(['fast', 'standard'] as const)('transfers at the requested speed, on-ramp and off-ramp: %s', async (speed) => {
  const fiat = {
    ramp: 'primary',
    name: 'first',
    rail: 'PIX',
    thirdParty: false,
    account: undefined,
    payout: undefined,
  };
  const [dollars, here, there] = [usdc(), asChain(cctp.here), asChain(cctp.there)];
  const terms = { side: 'in', slippage, transferSpeed: speed, fiat, originAddress: undefined };
  const [reais, micros] = [toBaseUnits(50_000n), toBaseUnits(40_000_000n)];
  const routes = [
    { source: here, tokenIn: BRL, tokenOut: dollars, origin: fiatChain(), destination: there, amount: reais },
    { source: there, tokenIn: dollars, tokenOut: BRL, origin: there, destination: fiatChain(), amount: micros },
  ];
  for (const { source, ...route } of routes) {
    // Some chains support only the standard speed.
    const transferSpeed = source.cctp?.fastSource === true ? speed : 'standard';
    const request = { ...terms, ...route, destinationAddress: undefined } as QuoteRequest;
    expect(await venue.quote(request, timeout())).toMatchObject({ transferSpeed });
  }
  expect(here.cctp?.fastSource).toBe(true);
});

describe('an off-ramp from a chain that the ramp does not support', () => {
  const AMOUNT = 40_000_000n;
  const sold = async (): Promise<Started & { quote: ProviderQuote }> => {
    const account = universe.accounts[8]!;
    const route = { tokenIn: usdc(), tokenOut: BRL, side: 'in', amount: toBaseUnits(AMOUNT), slippage } as const;
    const request = { ...route, origin: asChain(cctp.there), destination: fiatChain() };
    const opened = await started({ ...request, originAddress: account.address, destinationAddress: 'pix' }, PIX);
    const { execution, quote, transfer } = opened;
    const provider = { ...venue, build: () => Promise.resolve(execution) };
    const parameters = { request: transfer.request, quote, sender: account.address, recipient: 'pix', deadline: 0 };
    const originTxHash: Hex = await sendLocally({ chain: cctp.there, account, provider }, parameters);
    return { ...opened, transfer: { ...transfer, originTxHash } };
  };
  const ticketsOf = async (id: string) => (await local.ticketsOf(id)).length;

  it('is transferred to the chain of the ramp, and the whole amount is paid out', async () => {
    const { transfer, quote } = await sold();
    expect(quote.route.map(({ protocol, chainId }) => [protocol, chainId])).toEqual([
      ['cctp', cctp.there.chainId],
      ['first', cctp.here.chainId],
    ]);
    const { state, stages } = await followed(transfer);
    expect(state).toMatchObject({ status: 'delivered', txHash: undefined, amount: quote.expectedAmountOut });
    expect(stages).toEqual(expect.arrayContaining(['COMPLETION', 'PAYOUT', 'delivered']));
    expect(await ticketsOf(transfer.actionId)).toBe(1);
  });

  it('is refunded in full on the chain of the ramp when the payout fails, with a reason', async () => {
    await local.steer({ payouts: 'fail' });
    const { transfer } = await sold();
    const before = await usdcOf(cctp.here, transfer.sender);
    const { state } = await followed(transfer);
    const { address: token } = localToken(cctp.here, 'USDC');
    expect(state).toMatchObject({ status: 'refunded', chainId: cctp.here.chainId, token });
    expect(state).toMatchObject({ reason: expect.stringContaining('USDC was refunded') });
    expect((await usdcOf(cctp.here, transfer.sender)) - before).toBeGreaterThan((AMOUNT * 99n) / 100n);
    expect(await ticketsOf(`${transfer.actionId}-refund`)).toBe(1);
  });
});

describe('a wallet that is a contract on one chain only', () => {
  /** An account with code on the chain of the customer. With `both`: also on the chain of the ramp. */
  const contract = async (both: boolean): Promise<Address> => {
    const address = customer();
    for (const chain of both ? [cctp.there, cctp.here] : [cctp.there]) {
      await readerOf(chain).request({ method: 'anvil_setCode' as never, params: [address, '0x6080'] as never });
    }
    return address;
  };
  const ends = { side: 'in', slippage } as const;
  const selling = (originAddress: Address, refundAddress?: Address): QuoteRequest => ({
    ...ends,
    tokenIn: usdc(),
    tokenOut: BRL,
    amount: toBaseUnits(40_000_000n),
    refundAddress,
    origin: asChain(cctp.there),
    destination: fiatChain(),
    originAddress,
    destinationAddress: 'pix',
  });
  const buying = (address: Address): QuoteRequest => ({
    ...ends,
    tokenIn: BRL,
    tokenOut: usdc(),
    amount: toBaseUnits(50_000n),
    origin: fiatChain(),
    destination: asChain(cctp.there),
    originAddress: address,
    destinationAddress: address,
  });
  const outcomeOf = (opening: Promise<unknown>): Promise<unknown> =>
    opening.then(
      () => 'opened',
      (error: unknown) => (error as { code?: string }).code ?? error,
    );

  it('is refused when a refund would go to its address on the other chain', async () => {
    const [alone, both] = [await contract(false), await contract(true)];
    expect(await outcomeOf(started(selling(alone), PIX))).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
    expect(await outcomeOf(started(buying(alone), undefined))).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
    expect(await outcomeOf(started(selling(alone, customer()), PIX))).toBe('opened');
    expect(await outcomeOf(started(selling(both), PIX))).toBe('opened');
    expect(await outcomeOf(started(buying(both), undefined))).toBe('opened');
  });

  it('is also refused when the action is made executable', async () => {
    const becomes = (address: Address) => async (): Promise<void> => {
      const params = [address, '0x6080'] as never;
      await readerOf(cctp.there).request({ method: 'anvil_setCode' as never, params });
    };
    const [seller, buyer] = [customer(), customer()];
    const sold = started(selling(seller), PIX, becomes(seller));
    expect(await outcomeOf(sold)).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
    const bought = started(buying(buyer), undefined, becomes(buyer));
    expect(await outcomeOf(bought)).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
  });
});

/** The pseudo-chain of fiat money. */
function fiatChain() {
  return createChainTable(KNOWN_CHAINS).get(BRL.chainId);
}
