import { keccak256, stringToHex } from 'viem';
import { z } from 'zod';
import { startHttpEmulator, type EmulatorResponse, type EmulatorRoutes, type HttpEmulator } from '../http-emulator';
import { invalidParam, withApiErrors } from './api-error';
import { type BridgedChainOptions, openBridgedChain } from './bridged-chain';
import { type Deposit, type Ledger, openLedger } from './ledger';
import { type Chains, readInteger, readRoute } from './parameters';
import { limitsOf } from './quoting';
import { RELAYER_MODES, type RelayerMode, startRelayer } from './relayer';
import { passTime } from './settlement';
import { swapApproval } from './swap-approval';

export interface AcrossEmulatorOptions {
  readonly chains: readonly BridgedChainOptions[];
  /** A free one when not given. */
  readonly port?: number;
  /** How long deposits wait for their fill, in milliseconds; 1000 when not given. */
  readonly fillDelayMs?: number;
  /** How long deposits of the mode `expire` live, in seconds; 8 when not given. Others live two hours. */
  readonly expirySeconds?: number;
  readonly log?: (line: string) => void;
}

const FILL_DEADLINE_SECONDS = 2 * 60 * 60;
/** Above the longest lifetime that the mode `expire` may set, and below that of all other deposits. */
const MIN_LIFETIME_SECONDS = 60 * 60;

interface Control {
  mode: RelayerMode;
  expirySeconds: number;
}

/**
 * Across' API and the relayer and dataworker behind it, for the SpokePools of local chains.
 *
 * Serves `GET /swap/approval` (one token to itself on another chain; `exactInput`), `GET /limits`, `GET /deposit/status`.
 * `POST /_control/relayer` with `{ "mode": "normal" | "stall" | "expire" | "underpay" | "lie", "expirySeconds"?: number }`
 * sets the mode of the relayer (see RelayerMode); `GET` returns it. `POST /_control/expire` moves the clocks of the chains past
 * the deadlines of all open deposits, which must have the same origin and destination.
 */
export async function startAcrossEmulator(options: AcrossEmulatorOptions): Promise<HttpEmulator> {
  const chains: Chains = new Map(options.chains.map((chain) => [chain.chainId, openBridgedChain(chain)]));
  const ledger = openLedger([...chains.values()]);
  const control: Control = { mode: 'normal', expirySeconds: options.expirySeconds ?? 8 };
  const stopRelayer = startRelayer({
    chains,
    ledger,
    mode: () => control.mode,
    minLifetimeSeconds: MIN_LIFETIME_SECONDS,
    fillDelayMs: options.fillDelayMs ?? 1000,
    log: options.log ?? (() => undefined),
  });
  const routes = routesOf({ chains, ledger, control });
  const server = await startHttpEmulator({ routes, ...(options.port === undefined ? {} : { port: options.port }) });
  return {
    url: server.url,
    async stop() {
      await Promise.all([server.stop(), stopRelayer()]);
    },
  };
}

interface Api {
  readonly chains: Chains;
  readonly ledger: Ledger;
  readonly control: Control;
}

function routesOf(api: Api): EmulatorRoutes {
  const { chains, control } = api;
  const fillDeadlineSeconds = () => (control.mode === 'expire' ? control.expirySeconds : FILL_DEADLINE_SECONDS);
  return {
    'GET /swap/approval': withApiErrors(({ query }) => swapApproval({ chains, fillDeadlineSeconds }, query)),
    'GET /limits': withApiErrors(async ({ query }) => ({ body: await limitsBody(chains, query) })),
    'GET /deposit/status': withApiErrors(({ query }) => depositStatus(api, query)),
    'GET /_control/relayer': () => ({ body: control }),
    'POST /_control/relayer': ({ body }) => applyControl(control, body),
    'POST /_control/expire': () => expireDeposits(api),
  };
}

async function limitsBody(chains: Chains, query: URLSearchParams): Promise<object> {
  const { minDeposit, maxDeposit } = await limitsOf(readRoute(chains, query));
  const maximum = maxDeposit.toString();
  return {
    minDeposit: minDeposit.toString(),
    maxDeposit: maximum,
    maxDepositInstant: maximum,
    maxDepositShortDelay: maximum,
    recommendedDepositInstant: maximum,
  };
}

async function depositStatus(api: Api, query: URLSearchParams): Promise<EmulatorResponse> {
  await api.ledger.update();
  const deposit = findDeposit(api.ledger, query);
  if (deposit === undefined) {
    const message = 'Deposit not found given the provided constraints';
    return { status: 404, body: { error: 'DepositNotFoundException', message } };
  }
  const refunded = api.ledger.refundOf(deposit) ?? null;
  const { status, fillTxnRef } = await fillView(api, deposit, refunded !== null);
  return {
    body: {
      status,
      originChainId: deposit.originChainId,
      depositId: deposit.relay.depositId.toString(),
      depositTxHash: deposit.txHash,
      depositTxnRef: deposit.txHash,
      fillTx: fillTxnRef,
      fillTxnRef,
      destinationChainId: deposit.destinationChainId,
      depositRefundTxHash: refunded,
      depositRefundTxnRef: refunded,
      actionsSucceeded: null,
      pagination: { currentIndex: 0, maxIndex: 0 },
    },
  };
}

function findDeposit(ledger: Ledger, query: URLSearchParams): Deposit | undefined {
  const hash = query.get('depositTxnRef') ?? query.get('depositTxHash');
  if (hash !== null) return ledger.all().find(({ txHash }) => txHash === hash.toLowerCase());
  if (!query.has('depositId')) throw invalidParam('depositTxnRef', 'Either depositTxnRef or depositId is needed');
  const id = query.get('depositId') === '0' ? 0n : readInteger(query, 'depositId');
  const chainId = readInteger(query, 'originChainId');
  return ledger.all().find(({ relay }) => relay.depositId === id && relay.originChainId === chainId);
}

async function fillView({ chains, ledger, control }: Api, deposit: Deposit, refunded: boolean) {
  const filled = ledger.fillOf(deposit);
  if (filled !== undefined) return { status: 'filled', fillTxnRef: filled };
  if (refunded) return { status: 'refunded', fillTxnRef: null };
  if (control.mode === 'lie') return { status: 'filled', fillTxnRef: keccak256(stringToHex(deposit.txHash)) };
  const now = await chains.get(deposit.destinationChainId)?.now();
  const expired = now !== undefined && now > BigInt(deposit.relay.fillDeadline);
  return { status: expired ? 'expired' : 'pending', fillTxnRef: null };
}

async function expireDeposits({ chains, ledger }: Api): Promise<EmulatorResponse> {
  await ledger.update();
  const open = ledger.open();
  const lastDeadline = open.reduce((latest, { relay }) => Math.max(latest, relay.fillDeadline), 0);
  // Origins first: a deposit is refunded once its destination is past the deadline, and the refund must not be older.
  const ids = [...open.map(({ originChainId }) => originChainId), ...open.map((each) => each.destinationChainId)];
  for (const id of new Set(ids)) {
    const chain = chains.get(id);
    if (chain !== undefined) await passTime(chain, BigInt(lastDeadline));
  }
  return { body: { expired: open.length } };
}

const order = z.strictObject({ mode: z.enum(RELAYER_MODES), expirySeconds: z.int().min(1).max(1800).optional() });

function applyControl(control: Control, body: unknown): EmulatorResponse {
  const parsed = order.safeParse(body);
  if (!parsed.success) return { status: 400, body: { message: z.prettifyError(parsed.error) } };
  control.mode = parsed.data.mode;
  control.expirySeconds = parsed.data.expirySeconds ?? control.expirySeconds;
  return { body: control };
}
