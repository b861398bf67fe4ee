import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { EmulatorRoutes } from '../http-emulator';
import { ApiError, invalidField } from './api-error';
import type { Callbacks } from './callbacks';
import type { Control } from './control';
import { microText, RAMP_TOKENS } from './micro-amount';
import type { Accounts } from './accounts';
import { type QuoteService, shownQuote } from './pricing';
import { ticketBodyOf } from './ticket-body';
import type { TicketService } from './tickets';
import type { EmulatorState } from './emulator-state';

export interface RouteDeps {
  readonly state: EmulatorState;
  readonly control: Control;
  readonly quotes: QuoteService;
  readonly tickets: TicketService;
  readonly accounts: Accounts;
  readonly callbacks: Callbacks;
}

/** Quotes and tickets. */
export function ticketRoutes({ state, control, quotes, tickets, accounts }: RouteDeps): EmulatorRoutes {
  return {
    'GET /v2/account/quote/fixed-rate': ({ query }) => {
      return {
        body: {
          ...shownQuote(quotes.quote(query)),
          markupAmount: '0',
          inputThirdParty: false,
          outputThirdParty: false,
        },
      };
    },
    'POST /v2/account/tickets/': async (request) => {
      const { id, brCode, expiresAt, bankInstructions } = await tickets.open(accounts.accountOf(request), request.body);
      const lost = control.loseResponses > 0;
      if (lost) control.loseResponses -= 1;
      const payment = brCode === undefined ? {} : { brCode, expiration: expiresAt };
      const bank = bankInstructions === undefined ? {} : { bankInstructions, expiration: expiresAt };
      return { body: { id, ...payment, ...bank }, lost };
    },
    'GET /v2/account/tickets/': (request) => {
      const { id: accountId } = accounts.accountOf(request);
      const externalId = request.query.get('externalId');
      const found = state.tickets.filter(
        (ticket) => ticket.accountId === accountId && (externalId === null || ticket.externalId === externalId),
      );
      return { body: { tickets: found.map(ticketBodyOf), cursor: '' } };
    },
    'GET /v2/account/tickets/:id': (request) => {
      const { id: accountId } = accounts.accountOf(request);
      const ticket = state.tickets.find((each) => each.id === request.parameters['id'] && each.accountId === accountId);
      if (ticket === undefined) throw new ApiError(404, 'no such ticket');
      return { body: { ticket: ticketBodyOf(ticket) } };
    },
    'PATCH /v2/account/tickets/:id/cancel': ({ parameters }) => {
      tickets.cancel(parameters['id'] ?? '');
      return { body: {} };
    },
  };
}

/** Balances, limits and Pix keys. */
export function balanceRoutes({ control, tickets, accounts }: RouteDeps): EmulatorRoutes {
  return {
    'GET /v2/account/balances': async (request) => {
      const account = accounts.accountOf(request);
      const entries = await Promise.all(
        RAMP_TOKENS.map(async (symbol) => [symbol, microText(await tickets.balanceOf(account, symbol), 6)] as const),
      );
      return { body: { balances: Object.fromEntries(entries) } };
    },
    'GET /v2/account/limits': (request) => {
      const { blocked, used } = accounts.accountOf(request);
      const { maxFiatIn, maxFiatOut } = control.limits;
      const [usedFiatIn, usedFiatOut] = [microText(BigInt(used.in), 2), microText(BigInt(used.out), 2)];
      const limit = (currency: string) => ({
        currency,
        maxFiatIn,
        maxFiatOut,
        maxChainIn: maxFiatIn,
        maxChainOut: maxFiatOut,
        usedLimit: { usedFiatIn, usedFiatOut, usedChainIn: '0', usedChainOut: '0' },
      });
      return { body: { limitInfo: { blocked, limits: [limit('BRL'), limit('*')] } } };
    },
    'GET /v2/account/bank-accounts/brl/pix-info': ({ query }) => {
      if (control.pixLookupStatus !== null) throw new ApiError(control.pixLookupStatus, 'look-up failed');
      const pixKey = query.get('pixKey') ?? '';
      if (pixKey === '') throw invalidField('pixKey');
      if (control.unknownPixKeys.includes(pixKey)) throw new ApiError(404, 'pix key not found');
      return { body: { name: 'ANA LIMA', taxId: '***.456.789-**', bankName: 'Emulated Bank' } };
    },
  };
}

const webhookBody = z.object({
  webhookUrl: z.url(),
  subscriptions: z.array(z.enum(['TICKET', 'KYC', 'LIMIT-UPDATE', '*'])).min(1),
});
const MAX_WEBHOOKS = 3;

export function callbackRoutes({ state, callbacks }: RouteDeps): EmulatorRoutes {
  return {
    'GET /v2/public-key': () => ({ body: { publicKey: callbacks.publicKey() } }),
    'GET /v2/notifications/webhooks/': () => ({ body: { webhooks: state.webhooks } }),
    'POST /v2/notifications/webhooks/': ({ body }) => {
      const parsed = webhookBody.safeParse(body);
      if (!parsed.success) throw invalidField('webhookUrl');
      if (state.webhooks.length >= MAX_WEBHOOKS) throw new ApiError(400, 'too many webhooks');
      const webhook = { id: randomUUID(), url: parsed.data.webhookUrl, subscriptions: parsed.data.subscriptions };
      state.webhooks.push(webhook);
      state.save();
      return { body: { id: webhook.id } };
    },
    'PATCH /v2/notifications/webhooks': ({ body }) => {
      const parsed = webhookBody.extend({ webhookId: z.string() }).safeParse(body);
      if (!parsed.success) throw invalidField('webhookUrl');
      const webhook = state.webhooks.find(({ id }) => id === parsed.data.webhookId);
      if (webhook === undefined) throw new ApiError(404, 'webhook not found');
      webhook.url = parsed.data.webhookUrl;
      webhook.subscriptions = parsed.data.subscriptions;
      state.save();
      return { body: { id: webhook.id } };
    },
    'GET /v2/notifications/webhooks/events': ({ query }) => {
      const subscription = query.get('subscription');
      const events = callbacks.events.filter((event) => subscription === null || event.subscription === subscription);
      return { body: { events, cursor: '' } };
    },
  };
}
