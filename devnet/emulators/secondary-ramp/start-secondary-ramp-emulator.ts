import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type EmulatorHandler, type EmulatorRoutes, type HttpEmulator, startHttpEmulator } from '../http-emulator';
import { ApiError, withApiErrors } from './api-error';
import { type Control, newControl, steer } from './control';
import { incompleteAnswer } from './incomplete-answer';
import { customerById, customerRoutes, decide, isLost } from './people';
import { makeQuote } from './pricing';
import { startSettlement, takeDeposit } from './settlement';
import { transactionBody } from './transaction-body';
import { openTransactionDesk, type TransactionDesk } from './transactions';
import { openUsdcChain, type UsdcChainOptions } from './usdc-chain';
import { openWebhooks } from './webhooks';
import { CUSTOMER_STATUSES, openWorld, pageOf, TRANSACTION_STATUSES, type World } from './world';

export interface SecondaryRampEmulatorOptions {
  readonly chains: readonly UsdcChainOptions[];
  /** A free one when not given. */
  readonly port?: number;
  /** What the ramp knows survives a restart there. */
  readonly stateFile?: string;
  /** What it starts with, for instance `{ autoPayMs: 0 }`. */
  readonly control?: Partial<Control>;
  readonly log?: (line: string) => void;
}

export interface SecondaryRampEmulator extends HttpEmulator {
  /** Of its only client. Another one at each start. */
  readonly apiKey: string;
}

/**
 * UnblockPay's API in its newest form, for the USDC of local chains: customers and their documents, bank accounts, quotes,
 * pay-ins that really pay USDC, payouts that take it in at an account of their own, limits, and unsigned callbacks.
 *
 * To steer it:
 * - `GET` and `POST /_control`: everything in `Control` (payments that come by themselves, payouts that fail, lost answers …).
 * - `GET /_control/transactions?quote_id=`: the transactions of one of its quotes.
 * - `GET /_control/customers?tin=`: the customers with a tax id.
 * - `POST /__control/customers/:id` `{ "status", "step"?, "wires"? }`: a verdict on a customer, or on one step.
 * - `POST /__control/transactions/:id` `{ "status" }`; `processing` means that the payment is there. What comes after a
 *   transaction was cancelled is given back.
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

/** Every route of the API: late, broken, or for who has the key, which stands in its header alone. */
function guarded(routes: EmulatorRoutes, control: Control, apiKey: string): EmulatorRoutes {
  const gate =
    (route: string, handler: EmulatorHandler): EmulatorHandler =>
    async (request) => {
      if (control.delayMs > 0) await delay(control.delayMs);
      if (control.failWith !== null)
        throw new ApiError(control.failWith, 'told_to_fail', 'the emulator was told to fail');
      if (request.headers.authorization !== apiKey) throw new ApiError(401, 'unauthorized', 'Invalid API key');
      return incompleteAnswer(control, route, await handler(request));
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

const verdict = z.strictObject({
  status: z.enum(CUSTOMER_STATUSES),
  step: z.string().optional(),
  wires: z.boolean().optional(),
});
const fate = z.strictObject({ status: z.enum(TRANSACTION_STATUSES) });

function controlRoutes({ world, control, desk }: Parts): EmulatorRoutes {
  return {
    'GET /_control': () => ({ body: control }),
    'POST /_control': ({ body }) => steer(control, body),
    'GET /_control/transactions': ({ query }) => {
      const found = world.transactions.filter(({ quote_id }) => quote_id === query.get('quote_id'));
      return { body: found.map(transactionBody) };
    },
    'GET /_control/customers': ({ query }) => ({
      body: world.customers.filter(({ fields }) => fields['tin'] === query.get('tin')),
    }),
    'POST /__control/customers/:id': withApiErrors(({ parameters, body }) => {
      decide(world, customerById(world, parameters['id']), verdict.parse(body));
      return { body: {} };
    }),
    'POST /__control/transactions/:id': withApiErrors(({ parameters, body }) => {
      const found = desk.byId(parameters['id']);
      const { status } = fate.parse(body);
      if (status === 'processing') takeDeposit({ control, desk }, found);
      else desk.move(found, { status, ...(status === 'failed' ? { dueAt: Date.now() + control.settleMs } : {}) });
      return { body: transactionBody(found) };
    }),
  };
}
