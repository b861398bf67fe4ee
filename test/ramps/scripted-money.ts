import { setTimeout as wait } from 'node:timers/promises';
import type { CustomerId } from '../../src/auth/principal';
import { type BaseUnits, toBaseUnits } from '../../src/money/base-units';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import type { TicketParameters } from '../../src/venues/ramp/ramp-ticket';
import type {
  RampProvider,
  RampQuote,
  RampRoute,
  Ticket,
  TicketHolder,
  TicketRequest,
  TicketState,
} from '../../src/ramps/ramp-provider';
import { fakeRamp } from '../swaps/fake-fiat';
import { ALICE, BOB, devnet, USDC } from '../swaps/swap-world';

/** A ramp with scripted responses that records its requests and moves no money. */
export interface ScriptedMoney {
  readonly ramp: RampProvider;
  /** Id of the first ticket, or of a later one. */
  ticketId(number?: number): string;
  /** Requests with an opened ticket. */
  readonly opened: TicketRequest[];
  /** Requests that `findTicket` searched for. */
  readonly sought: TicketRequest[];
  quotes: number;
  quote: Partial<RampQuote>;
  /** Response to the next `openTicket`: a ticket, a ticket whose response is lost, or the error. */
  response: 'opened' | 'lost' | Error;
  /** Duration of `openTicket`. */
  openingMs: number;
  /** State of all tickets. A function is called at every poll. */
  state: TicketState | Error | ((holder: TicketHolder) => Promise<TicketState>);
}

export const LOST = new Error('the connection was reset');

export function scriptedMoney(): ScriptedMoney {
  const tickets = new Map<string, Ticket>();
  const desk = uuidV7();
  const ticketId = (number = 1): string => `ticket-${number} of ${desk}`;
  const ramp = fakeRamp('primary', {
    quote: async ({ amount }) => {
      money.quotes += 1;
      await wait(Math.random() * 10);
      return quoteOf(amount, money.quote);
    },
    async openTicket(request) {
      await wait(money.openingMs);
      if (money.response instanceof Error) throw money.response;
      money.opened.push(request);
      const ticket = ticketFor(request, { ticketId: ticketId(money.opened.length), number: money.opened.length });
      tickets.set(request.externalId, ticket);
      if (money.response === 'lost') throw LOST;
      return ticket;
    },
    findTicket(request) {
      money.sought.push(request);
      return Promise.resolve(tickets.get(request.externalId));
    },
    ticketState: (_, holder) => {
      if (typeof money.state === 'function') return money.state(holder);
      return money.state instanceof Error ? Promise.reject(money.state) : Promise.resolve(money.state);
    },
  });
  const money: ScriptedMoney = {
    ramp,
    ticketId,
    opened: [],
    sought: [],
    quotes: 0,
    quote: {},
    response: 'opened',
    openingMs: 20,
    state: { status: 'waitingForPayment' },
  };
  return money;
}

const quoteOf = (amountIn: RampQuote['amountIn'], changes: Partial<RampQuote>): RampQuote => ({
  amountIn,
  amountOut: toBaseUnits(52_900n),
  fees: [{ label: 'Pix', asset: 'out', amount: toBaseUnits(100n) }],
  expiresAt: new Date(Date.now() + 15_000),
  execution: { token: 'quoted' },
  ...changes,
});

interface Numbered {
  readonly ticketId: string;
  readonly number: number;
}

const ticketFor = ({ route, quote }: TicketRequest, { ticketId, number }: Numbered): Ticket =>
  route.direction === 'offRamp'
    ? { kind: 'payOut', ticketId, depositAddress: BOB, amount: quote.amountIn }
    : {
        kind: 'payIn',
        ticketId,
        instructions: {
          pix: { copyPaste: `br-code-${number}` },
          expiresAt: new Date('2030-01-01T00:00:00.123Z'),
          amount: { amountRaw: quote.amountIn.toString(), currency: route.currency },
        },
      };

export const OFF_RAMP: RampRoute = {
  direction: 'offRamp',
  currency: 'BRL',
  rail: 'PIX',
  token: USDC,
  chain: devnet,
};
export const ON_RAMP: RampRoute = { ...OFF_RAMP, direction: 'onRamp' };

export const pixTo = (pixKey: string) => ({ rail: 'PIX' as const, pixKey, thirdParty: false });

interface OrderOptions {
  readonly id?: string;
  readonly route?: RampRoute;
  readonly minAmountOut?: BaseUnits;
  readonly ticket?: Partial<TicketParameters['ticket']>;
}

/** A ticket for 100 USDC to reais by Pix, of a new action. */
export function orderOf({
  id = uuidV7(),
  route = OFF_RAMP,
  minAmountOut = toBaseUnits(52_800n),
  ticket = {},
}: OrderOptions = {}) {
  const account = { accountId: 'account-1', kycUserId: uuidV7() };
  const isPayIn = route.direction === 'onRamp';
  return {
    customerId: uuidV7() as CustomerId,
    minAmountOut,
    quoteRequest: { route, side: 'in', amount: toBaseUnits(100_000_000n), account, thirdParty: false },
    ticket: {
      account,
      externalId: id,
      walletAddress: ALICE,
      payout: isPayIn ? undefined : pixTo('ana@example.com'),
      ...ticket,
    },
  } satisfies TicketParameters;
}
