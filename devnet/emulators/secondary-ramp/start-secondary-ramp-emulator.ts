import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  type EmulatorResponse,
  type EmulatorHandler,
  type EmulatorRoutes,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator';
import { ApiError, withApiErrors } from './api-error';
import { type Control, newControl, applyControl } from './control';
import { customerById, customerRoutes, decide, isLost } from './people';
import { makeQuote } from './pricing';
import { startSettlement, acceptDeposit } from './settlement';
import { transactionBody } from './transaction-body';
import { openTransactionDesk, type TransactionDesk } from './transactions';
import { openUsdcChain, type UsdcChainOptions } from './usdc-chain';
import { openWebhooks } from './webhooks';
import { CUSTOMER_STATUSES, openWorld, pageOf, TRANSACTION_STATUSES, type World } from './world';

export interface SecondaryRampEmulatorOptions {
  readonly chains: readonly UsdcChainOptions[];
  /** A free port when absent. */
  readonly port?: number;
  /** File that keeps the state across restarts. */
  readonly stateFile?: string;
  /** Initial control, for instance `{ autoPayMs: 0 }`. */
  readonly control?: Partial<Control>;
  readonly log?: (line: string) => void;
}

export interface SecondaryRampEmulator extends HttpEmulator {
  /** API key of the only client. New at each start. */
  readonly apiKey: string;
}

/**
 * Emulates the newest version of UnblockPay's API for the USDC of local chains: customers and their documents, bank accounts,
 * quotes, pay-ins that settle in USDC, payouts with a deposit address of their own, limits, and unsigned callbacks.
 *
 * Control:
 * - `GET` and `POST /_control`: everything in `Control` (automatic deposits, failing payouts, lost responses …).
 * - `GET /_control/transactions?quote_id=`: the transactions of one of its quotes.
 * - `GET /_control/customers?tin=`: the customers with a tax id.
 * - `POST /__control/customers/:id` `{ "status", "step"?, "wires"? }`: decides about a customer, or about one step.
 * - `POST /__control/transactions/:id` `{ "status" }`; `processing` means that the deposit has arrived. A deposit
 *   after the cancellation is refunded.
 */
export async function startSecondaryRampEmulator(
  options: SecondaryRampEmulatorOptions,
): Promise<SecondaryRampEmulator> {
  const { log = () => undefined } = options;
  const control = newControl(options.control ?? {});
  const world = openWorld(options.stateFile);
  const webhooks = openWebhooks(world, log);
  const chains = new Map(options.chains.map((chain) => [chain.network as string, openUsdcChain(chain)]));
  const desk = openTransactionDesk({ world, control, webhooks });
  const settlement = startSettlement({ world, control, desk, chains, log });
  const apiKey = randomUUID();
  const parts: Parts = { world, control, desk, networks: new Set(chains.keys()) };
  const api = { ...customerRoutes(parts), ...accountRoutes(world), ...moneyRoutes(parts), ...webhooks.routes };
  const server = await startHttpEmulator({
    routes: { ...guarded(api, control, apiKey), ...controlRoutes(parts) },
    otherwise: () => ({ status: 404, body: { code: 'not_found', message: 'Not found' } }),
    ...(options.port === undefined ? {} : { port: options.port }),
  });
  return {
    url: server.url,
    apiKey,
    async stop() {
      await settlement.stop();
      await server.stop();
    },
  };
}

interface Parts {
  readonly world: World;
  readonly control: Control;
  readonly desk: TransactionDesk;
  readonly networks: ReadonlySet<string>;
}

/** Every route of the API, with the delay and failures of the control. Requires the bare key in the header. */
function guarded(routes: EmulatorRoutes, control: Control, apiKey: string): EmulatorRoutes {
  const gate =
    (route: string, handler: EmulatorHandler): EmulatorHandler =>
    async (request) => {
      if (control.delayMs > 0) await delay(control.delayMs);
      if (control.failWith !== null) throw new ApiError(control.failWith, 'set_to_fail', 'the emulator is set to fail');
      if (request.headers.authorization !== apiKey) throw new ApiError(401, 'unauthorized', 'Invalid API key');
      return removeIdsIfIncomplete(control, route, await handler(request));
    };
  const wrapped = Object.entries(routes).map(
    ([route, handler]) => [route, withApiErrors(gate(route, handler))] as const,
  );
  return Object.fromEntries(wrapped);
}

function moneyRoutes({ world, control, desk, networks }: Parts): EmulatorRoutes {
  const open =
    (type: 'on_ramp' | 'off_ramp'): EmulatorHandler =>
    ({ body }) => ({ status: 201, body: transactionBody(desk.open(type, body)), lost: isLost(control) });
  return {
    'POST /v1/quote': ({ body }) => ({ status: 201, body: makeQuote({ world, control, networks }, body) }),
    'POST /v1/payin': open('on_ramp'),
    'POST /v1/payout': open('off_ramp'),
    'GET /v1/transactions/:id': ({ parameters }) => ({ body: transactionBody(desk.byId(parameters['id'])) }),
    'PUT /v1/transactions/:id': ({ parameters, body }) => {
      const found = desk.byId(parameters['id']);
      const isCancel = z.object({ status: z.literal('cancelled') }).safeParse(body).success;
      if (!isCancel || found.status !== 'awaiting_deposit') {
        throw new ApiError(422, 'transaction_cannot_be_cancelled', 'Transaction cannot be cancelled');
      }
      desk.move(found, { status: 'cancelled' });
      return { body: transactionBody(found) };
    },
    'GET /v1/customers/:id/transactions': ({ parameters, query }) => {
      const { id } = customerById(world, parameters['id']);
      const page = pageOf(world.transactions.filter(({ customer_id }) => customer_id === id).reverse(), query);
      if (page === undefined) throw new ApiError(422, 'invalid_limit', 'limit is required');
      return { body: { data: page.map(transactionBody) } };
    },
  };
}

const address = z.looseObject({ street_line_1: z.string(), city: z.string(), state: z.string(), country: z.string() });
const wireAccount = z.looseObject({
  customer_id: z.string(),
  account_name: z.string(),
  payment_rail: z.literal('wire'),
  is_third_party: z.boolean(),
  wire: z.looseObject({
    beneficiary_name: z.string(),
    bank_name: z.string(),
    bank_account_number: z.string(),
    routing_number: z.string().regex(/^\d{9}$/),
    address,
  }),
});

function accountRoutes(world: World): EmulatorRoutes {
  return {
    'POST /v1/external-accounts': ({ body }) => {
      const parsed = wireAccount.safeParse(body);
      if (!parsed.success) throw new ApiError(422, 'invalid_body', z.prettifyError(parsed.error));
      const { id: customer_id, status } = customerById(world, parsed.data.customer_id);
      if (status !== 'approved') throw new ApiError(422, 'customer_not_allowed', 'Customer is not approved');
      const account = { id: randomUUID(), customer_id, body: parsed.data };
      world.accounts.push(account);
      world.save();
      return { status: 201, body: { ...parsed.data, id: account.id } };
    },
    'GET /v1/external-accounts': ({ query }) => {
      const mine = world.accounts.filter(({ customer_id }) => customer_id === query.get('customer_id'));
      const page = pageOf(mine, query);
      if (page === undefined) throw new ApiError(422, 'invalid_limit', 'limit is required');
      return { body: { data: page.map(({ id, body }) => ({ ...body, id })) } };
    },
  };
}

const decision = z.strictObject({
  status: z.enum(CUSTOMER_STATUSES),
  step: z.string().optional(),
  wires: z.boolean().optional(),
});
const statusChange = z.strictObject({ status: z.enum(TRANSACTION_STATUSES) });

function controlRoutes({ world, control, desk }: Parts): EmulatorRoutes {
  return {
    'GET /_control': () => ({ body: control }),
    'POST /_control': ({ body }) => applyControl(control, body),
    'GET /_control/transactions': ({ query }) => {
      const found = world.transactions.filter(({ quote_id }) => quote_id === query.get('quote_id'));
      return { body: found.map(transactionBody) };
    },
    'GET /_control/customers': ({ query }) => ({
      body: world.customers.filter(({ fields }) => fields['tin'] === query.get('tin')),
    }),
    'POST /__control/customers/:id': withApiErrors(({ parameters, body }) => {
      decide(world, customerById(world, parameters['id']), decision.parse(body));
      return { body: {} };
    }),
    'POST /__control/transactions/:id': withApiErrors(({ parameters, body }) => {
      const found = desk.byId(parameters['id']);
      const { status } = statusChange.parse(body);
      if (status === 'processing') acceptDeposit({ control, desk }, found);
      else desk.move(found, { status, ...(status === 'failed' ? { dueAt: Date.now() + control.settleMs } : {}) });
      return { body: transactionBody(found) };
    }),
  };
}

/** The subject of a response, by the first segment of its path. */
const SUBJECTS: Readonly<Record<string, Control['incomplete'][number]>> = {
  quote: 'quote',
  payin: 'transaction',
  payout: 'transaction',
  transactions: 'transaction',
  customers: 'customer',
};

/** Removes ids from the response when the control makes responses on its subject incomplete. */
function removeIdsIfIncomplete({ incomplete }: Control, route: string, response: EmulatorResponse): EmulatorResponse {
  const [, , first = ''] = route.split('/');
  const subject = SUBJECTS[first];
  if (subject === undefined || !incomplete.includes(subject)) return response;
  return { ...response, body: withoutIds(response.body) };
}

function withoutIds(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const data = 'data' in body && Array.isArray(body.data) ? { data: body.data.map(withoutIds) } : {};
  return { ...body, id: undefined, ...data };
}
