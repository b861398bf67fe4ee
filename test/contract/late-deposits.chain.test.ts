import { setTimeout as wait } from 'node:timers/promises';
import type { DevnetAccount } from '../../devnet/accounts';
import type { DevnetChain } from '../../devnet/universe';
import { isServiceError } from '../../src/errors/service-error';
import { createHttpClient } from '../../src/http/http-client';
import { toBaseUnits } from '../../src/money/base-units';
import { createSecondaryRamp } from '../../src/ramps/providers/secondary/secondary-ramp';
import type { RampAccount, RampProvider, Ticket, TicketRequest, TicketState } from '../../src/ramps/ramp-provider';
import { chainNamed, snapshotOf, universeOfTests } from '../setup/universe-of-tests';
import { type LocalPrimaryRamp, PAYER_INDEX, startLocalPrimaryRamp } from './primary-ramp-world';
import {
  balanceOf,
  type LocalSecondaryRamp,
  sendUsdc,
  startLocalSecondaryRamp,
  usdcRoute,
} from './secondary-ramp-world';

/** Shorter than a test may take, so that a ticket that never ends is reported with its last state. */
const TIMEOUT_MS = 90_000;
const AMOUNT = toBaseUnits(30_000_001n);

let chain: DevnetChain;
let payer: DevnetAccount;
let primary: LocalPrimaryRamp;
let secondary: LocalSecondaryRamp;
let customer: RampAccount;
let revert: () => Promise<void>;
beforeAll(async () => {
  const universe = await universeOfTests();
  chain = chainNamed(universe, 'devnet');
  payer = universe.accounts[PAYER_INDEX]!;
  revert = await snapshotOf(chain);
  [primary, secondary] = await Promise.all([startLocalPrimaryRamp(universe), startLocalSecondaryRamp({ chain })]);
  customer = await secondary.approvedAccount();
});
afterAll(async () => {
  await Promise.all([primary.stop(), secondary.stop()]);
  await revert();
});
afterEach(() => secondary.upstream.injectFault(undefined));

const signal = () => AbortSignal.timeout(60_000);

/** Polls until the status is reached. */
async function until(status: TicketState['status'], poll: () => Promise<TicketState>): Promise<TicketState> {
  let last: TicketState | undefined;
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end;) {
    last = await poll();
    if (last.status === status) return last;
    await wait(60);
  }
  throw new Error(`not ${status}, but ${JSON.stringify(last)}`);
}

let tickets = 0;
async function requestTo(ramp: RampProvider, account: RampAccount): Promise<TicketRequest> {
  const route = usdcRoute(chain, { direction: 'offRamp' });
  const quote = await ramp.quote({ route, side: 'in', amount: AMOUNT, account, thirdParty: false }, signal());
  const payout = { rail: 'PIX', pixKey: 'ana@example.com', thirdParty: false } as const;
  return { route, quote, account, externalId: `late-${String((tickets += 1))}`, walletAddress: payer.address, payout };
}

const addressOf = (ticket: Ticket): string => (ticket.kind === 'payOut' ? ticket.depositAddress : '');

it('the primary ramp refunds a late deposit once, and pays nothing out', async () => {
  const { ramp, account } = primary;
  const request = await requestTo(ramp, account);
  const before = await balanceOf(chain, request.route, payer.address);
  const ticket = await ramp.openTicket(request, signal());
  await sendUsdc({ chain, privateKey: payer.privateKey }, addressOf(ticket), AMOUNT);
  const poll = () => ramp.ticketState(ticket.ticketId, { ...account, request, refundsLateDeposit: true }, signal());
  const end = await until('refunded', poll);
  expect(end).toMatchObject({
    txHash: expect.stringMatching(/^0x/),
    reason: 'It arrived after the action had expired',
  });
  expect(await poll()).toEqual(end);
  expect(await balanceOf(chain, request.route, payer.address)).toBe(before);
  const { externalId } = request;
  expect(await primary.ticketsOf(externalId)).toEqual([]);
  expect(await primary.ticketsOf(`${externalId}-refund`)).toHaveLength(1);
});

describe('a ticket of the secondary ramp that is cancelled', () => {
  const opened = async () => {
    const { ramp } = secondary;
    const request = await requestTo(ramp, customer);
    const ticket = await ramp.openTicket(request, signal());
    const holder = { ...customer, request };
    return {
      request,
      ticket,
      cancel: () => ramp.cancelTicket!(ticket.ticketId, holder, signal()),
      poll: () => ramp.ticketState(ticket.ticketId, holder, signal()),
      send: () => sendUsdc({ chain, privateKey: payer.privateKey }, addressOf(ticket), AMOUNT),
    };
  };

  it('pays nothing out, and refunds a later deposit', async () => {
    const { request, cancel, poll, send } = await opened();
    expect(await cancel()).toMatchObject({ status: 'failed' });
    expect(await cancel()).toMatchObject({ status: 'failed' });
    const before = await balanceOf(chain, request.route, payer.address);
    await send();
    expect(await until('refunded', poll)).toMatchObject({ txHash: expect.stringMatching(/^0x/) });
    expect(await balanceOf(chain, request.route, payer.address)).toBe(before);
  });

  it('too late continues, and reports its state', async () => {
    const { cancel, poll, send } = await opened();
    await send();
    await until('completed', poll);
    expect(await cancel()).toMatchObject({ status: 'completed' });
  });

  it('just after its payment arrived continues', async () => {
    const { request: ticketRequest, ticket } = await opened();
    await secondary.steer({ settleMs: 3_600_000 });
    const { url, apiKey } = secondary.emulator;
    const http = createHttpClient({ baseUrl: url, headers: { authorization: apiKey } });
    const call: typeof http.call = async (request) => {
      const pay = { status: 'processing' };
      if (request.method === 'PUT') await secondary.control(`/__control/transactions/${ticket.ticketId}`, pay);
      return http.call(request);
    };
    const ramp = createSecondaryRamp({ http: { ...http, call }, networks: { [chain.chainId]: 'polygon' } });
    const cancelled = ramp.cancelTicket!(ticket.ticketId, { ...customer, request: ticketRequest }, signal());
    expect(await cancelled).toEqual({ status: 'processing' });
    await http.close();
    await secondary.steer({ settleMs: 50 });
  });

  it('is not reported as cancelled while the ramp is unavailable', async () => {
    const { cancel, poll } = await opened();
    secondary.upstream.injectFault('responds with 500');
    const failure: unknown = await cancel().catch((error: unknown) => error);
    expect(isServiceError(failure) && failure.code).toBe('SECONDARY_RAMP_API_ERROR');
    secondary.upstream.injectFault(undefined);
    expect(await poll()).toEqual({ status: 'waitingForPayment' });
    expect(await cancel()).toMatchObject({ status: 'failed' });
  });
});
