import type { z } from 'zod';
import { isNativeToken, ZERO_ADDRESS } from '../../../chains/addresses';
import type { HttpClient } from '../../../http/http-client';
import { UpstreamError } from '../../../http/upstream-error';
import { formatSlippage, type PartsPerMillion } from '../../../money/slippage';
import type { QuoteRequest } from '../../quote-provider';
import { statusResponse, type LifiStep, stepResponse, type TransferStatus } from './api-schemas';

export const LIFI = 'lifi';

export interface StepParameters {
  readonly request: QuoteRequest;
  readonly sender: string;
  readonly recipient: string;
  readonly slippage: PartsPerMillion;
  /** The only allowed bridge or exchange; all when absent. */
  readonly tool?: string | undefined;
}

type Http = Pick<HttpClient, 'get'>;

/**
 * `GET /v1/quote`. Skips the simulation of LI.FI, which is slow; the service simulates the transaction itself.
 *
 * @throws UpstreamError
 */
export async function fetchStep(http: Http, parameters: StepParameters, signal: AbortSignal): Promise<LifiStep> {
  const { request, sender, recipient, slippage, tool } = parameters;
  const { origin, destination, tokenIn, tokenOut, amount, transferSpeed } = request;
  const isCrossChain = origin.chainId !== destination.chainId;
  const query = {
    fromChain: origin.chainId,
    toChain: destination.chainId,
    fromToken: wireAddress(tokenIn.address),
    toToken: wireAddress(tokenOut.address),
    fromAmount: amount.toString(),
    fromAddress: sender,
    toAddress: recipient,
    slippage: formatSlippage(slippage),
    order: transferSpeed === 'fast' ? 'FASTEST' : 'CHEAPEST',
    allowBridges: isCrossChain ? tool : undefined,
    allowExchanges: isCrossChain ? undefined : tool,
    skipSimulation: true,
  };
  return parseResponse(stepResponse, await http.get('/v1/quote', query, signal));
}

export interface TransferReference {
  readonly txHash: string;
  /** Bridge of the transfer; without it LI.FI has to determine it. */
  readonly bridge: string | undefined;
  readonly fromChain: number;
  readonly toChain: number;
}

const NOT_FOUND = 404;

/** `GET /v1/status`. @throws UpstreamError */
export async function fetchTransferStatus(
  http: Http,
  parameters: TransferReference,
  signal: AbortSignal,
): Promise<TransferStatus> {
  try {
    return parseResponse(statusResponse, await http.get('/v1/status', { ...parameters }, signal));
  } catch (error) {
    if (error instanceof UpstreamError && error.status === NOT_FOUND)
      return statusResponse.parse({ status: 'NOT_FOUND' });
    throw error;
  }
}

const wireAddress = (token: string): string => (isNativeToken(token) ? ZERO_ADDRESS : token);

function parseResponse<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw new UpstreamError('its response has an unexpected form', { kind: 'unreadable', cause: result.error });
}
