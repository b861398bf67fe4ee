import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type EmulatorHandler, type EmulatorRoutes, type HttpEmulator, startHttpEmulator } from '../http-emulator';
import { ApiError, withApiErrors } from './api-error';
import { authenticated } from './authentication';
import { openCallbacks } from './callbacks';
import { type Control, newControl, applyControl } from './control';
import { callbackRoutes, type RouteDeps, balanceRoutes, ticketRoutes } from './money-routes';
import { type EvmPayingChainOptions, openEvmPayingChain } from './evm-paying-chain';
import { openAccounts } from './accounts';
import type { PayingChain } from './paying-chain';
import { openQuoteService } from './pricing';
import { openSolanaPayingChain, type SolanaPayingChainOptions } from './solana-paying-chain';
import { ticketBodyOf } from './ticket-body';
import { openTicketService } from './tickets';
import { openEmulatorState } from './emulator-state';

export interface PrimaryRampEmulatorOptions {
  /** `network` is the ramp's name of the chain. */
  readonly chains: readonly (EvmPayingChainOptions & { readonly network: string })[];
  readonly solana?: SolanaPayingChainOptions & { readonly network: string };
  /** A free port when absent. */
  readonly port?: number;
  /** File that keeps the state across restarts. */
  readonly stateFile?: string;
  /** Initial control, for instance `{ autoPayMs: 0 }`. */
  readonly control?: Partial<Control>;
  readonly log?: (line: string) => void;
}

export interface PrimaryRampEmulator extends HttpEmulator {
  /** API key of the only client. */
  readonly apiKey: string;
  /** RSA key with which the client signs, in PEM. New at each start. */
  readonly privateKey: string;
}

/**
 * Emulates Avenia's API for the tokens of local chains: sub-accounts with wallets, documents and attempts, quotes, tickets that
 * settle in tokens (also on Solana) and accept deposits of tokens, limits, Pix keys, and signed callbacks.
 *
 * Below `/_control`, unsigned:
 * - `GET` and `POST /_control`: everything in `Control` (automatic deposits, failing payouts, lost responses …).
 * - `POST /_control/holds/:name`: attempts of the sub-account of this name, opened or not, are decided by request only, and
 *   its deposits arrive by request only.
 * - `POST /_control/tickets/:id/pay`: the deposit of a ticket arrives.
 * - `GET /_control/tickets?externalId=`: the tickets with an external id.
 * - `POST /_control/attempts/:id` `{ "result": "APPROVED" | "REJECTED", "retryable"?, "labels"? }`
 * - `GET /_control/accounts?name=`: the sub-accounts of a name, with their attempts.
 * - `POST /_control/accounts/:id` `{ "confirmed"?, "usdUnlocked"?, "blocked"?, "refused"? }`: `refused` makes payouts fail
 * - `POST /_control/rotate-key`: callbacks are signed with a new key.
 * - `POST /_control/sign` (any body): `{ signature }`, for callbacks that tests send themselves.
 */
export async function startPrimaryRampEmulator(options: PrimaryRampEmulatorOptions): Promise<PrimaryRampEmulator> {
  const { log = () => undefined } = options;
  const control = newControl(options.control ?? {});
  const state = openEmulatorState(options.stateFile);
  const callbacks = openCallbacks(state, control, log);
  const chains = payingChains(options);
  const quotes = openQuoteService(new Map([...chains].map(([network, { symbols }]) => [network, symbols])), control);
  const tickets = openTicketService({ state, control, quotes, callbacks, chains, log });
  let url = '';
  const accounts = openAccounts({ state, control, callbacks, url: () => url });
  const parts: RouteDeps = { state, control, quotes, tickets, accounts, callbacks };
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const apiKey = randomUUID();
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const api = { ...accounts.routes, ...ticketRoutes(parts), ...balanceRoutes(parts), ...callbackRoutes(parts) };
  const server = await startHttpEmulator({
    routes: {
      ...guarded(api, { control, client: { apiKey, publicKey } }),
      ...accounts.uploads,
      ...controlRoutes(parts),
    },
    ...(options.port === undefined ? {} : { port: options.port }),
  });
  url = server.url;
  return {
    url,
    apiKey,
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    async stop() {
      tickets.stop();
      accounts.stop();
      await server.stop();
    },
  };
}

function payingChains({ chains, solana }: PrimaryRampEmulatorOptions): ReadonlyMap<string, PayingChain> {
  const opened = new Map<string, PayingChain>(chains.map((chain) => [chain.network, openEvmPayingChain(chain)]));
  return solana === undefined ? opened : opened.set(solana.network, openSolanaPayingChain(solana));
}

interface Gate {
  readonly control: Control;
  readonly client: { readonly apiKey: string; readonly publicKey: string };
}

/** Adds the configured delay and failure, and requires a signed request. */
function guarded(routes: EmulatorRoutes, { control, client }: Gate): EmulatorRoutes {
  const forClient = authenticated(client);
  const gate =
    (handler: EmulatorHandler): EmulatorHandler =>
    async (request) => {
      if (control.delayMs > 0) await delay(control.delayMs);
      if (control.failWith !== null) throw new ApiError(control.failWith, 'the emulator is set to fail');
      return handler(request);
    };
  const wrapped = Object.entries(routes).map(([route, handler]) => {
    const [method = ''] = route.split(' ');
    return [route, withApiErrors(gate(forClient(method, handler)))] as const;
  });
  return Object.fromEntries(wrapped);
}

const decision = z.strictObject({
  result: z.enum(['APPROVED', 'REJECTED']),
  retryable: z.boolean().optional(),
  labels: z.array(z.string()).optional(),
});
const flags = z
  .strictObject({ confirmed: z.boolean(), usdUnlocked: z.boolean(), blocked: z.boolean(), refused: z.boolean() })
  .partial();

function controlRoutes({ state, control, tickets, accounts, callbacks }: RouteDeps): EmulatorRoutes {
  return {
    'GET /_control': () => ({ body: control }),
    'POST /_control': ({ body }) => applyControl(control, body),
    'POST /_control/holds/:name': ({ parameters }) => {
      control.heldAccounts.push(parameters['name'] ?? '');
      return { body: {} };
    },
    'POST /_control/tickets/:id/pay': withApiErrors(({ parameters }) => {
      tickets.pay(parameters['id'] ?? '');
      return { body: {} };
    }),
    'GET /_control/tickets': ({ query }) => ({
      body: state.tickets.filter(({ externalId }) => externalId === query.get('externalId')).map(ticketBodyOf),
    }),
    'POST /_control/attempts/:id': withApiErrors(({ parameters, body }) => {
      accounts.decide(parameters['id'] ?? '', decision.parse(body));
      return { body: {} };
    }),
    'GET /_control/accounts': ({ query }) => ({
      body: state.accounts.filter(({ name }) => name === query.get('name')),
    }),
    'POST /_control/accounts/:id': ({ parameters, body }) => {
      const account = state.accounts.find(({ id }) => id === parameters['id']);
      if (account === undefined) return { status: 404, body: {} };
      const given = Object.entries(flags.parse(body)).filter(([, value]) => value !== undefined);
      Object.assign(account, Object.fromEntries(given));
      state.save();
      return { body: account };
    },
    'POST /_control/rotate-key': () => {
      callbacks.rotateKey();
      return { body: {} };
    },
    'POST /_control/sign': ({ rawBody }) => ({ body: { signature: callbacks.signatureOf(rawBody.toString('utf8')) } }),
  };
}
