import { type EmulatorHandler, type HttpEmulator, startHttpEmulator } from '../http-emulator';
import { type BridgedChainOptions, openBridgedChain } from './bridged-chain';
import { newControl, controlQuotes, controlTransfers } from './control';
import { openLedger } from './ledger';
import { ApiError, type Chains, readTransfer } from './parameters';
import { startRelayer } from './relayer';
import { transferStatus } from './status-body';
import { stepBody } from './step-body';

export interface LifiEmulatorOptions {
  readonly chains: readonly BridgedChainOptions[];
  /** A free one when not given. */
  readonly port?: number;
  /** How long transfers wait for their end, in milliseconds; 1000 when not given. */
  readonly delayMs?: number;
  readonly log?: (line: string) => void;
}

const DELAY_MS = 1000;

/**
 * LI.FI's API and the relayer behind it, for the contracts and pools of local chains.
 *
 * Serves `GET /v1/quote` (within a chain, and between two) and `GET /v1/status`.
 * `POST /_control/transfers` with `{ "outcome"?: "COMPLETED" | "PARTIAL" | "REFUNDED" | "FAILED" | "HANG", "delayMs"?: number }`
 * sets the outcome of transfers (see OUTCOMES), `POST /_control/quotes` with `{ "manipulate"?: "recipient" | "target" |
 * "spender" | "value" | null, "worseBps"?: number }` the quotes; `GET /_control` returns both.
 */
export async function startLifiEmulator(options: LifiEmulatorOptions): Promise<HttpEmulator> {
  const chains: Chains = new Map(options.chains.map((chain) => [chain.chainId, openBridgedChain(chain)]));
  const control = newControl(options.delayMs ?? DELAY_MS);
  const ledger = openLedger([...chains.values()]);
  const relayer = startRelayer({ chains, ledger, control, log: options.log ?? (() => undefined) });
  const server = await startHttpEmulator({
    routes: {
      'GET /v1/quote': withApiErrors(async ({ query }) => ({
        body: await stepBody(readTransfer(chains, query), control),
      })),
      'GET /v1/status': withApiErrors(({ query }) => transferStatus({ chains, ledger, relayer }, query)),
      'GET /_control': () => ({ body: control }),
      'POST /_control/transfers': ({ body }) => controlTransfers(control, body),
      'POST /_control/quotes': ({ body }) => controlQuotes(control, body),
    },
    ...(options.port === undefined ? {} : { port: options.port }),
  });
  return {
    url: server.url,
    async stop() {
      await Promise.all([server.stop(), relayer.stop()]);
    },
  };
}

const withApiErrors =
  (handler: EmulatorHandler): EmulatorHandler =>
  async (request) => {
    try {
      return await handler(request);
    } catch (error) {
      if (error instanceof ApiError) return error.response;
      throw error;
    }
  };
