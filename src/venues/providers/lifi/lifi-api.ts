import type { z } from 'zod';
import { isNativeToken, ZERO_ADDRESS } from '../../../chains/addresses';
import type { HttpClient } from '../../../http/http-client';
import { UpstreamError } from '../../../http/upstream-error';
import { formatSlippage, type PartsPerMillion } from '../../../money/slippage';
import type { QuoteRequest } from '../../quote-provider';
import { statusAnswer, type Step, stepAnswer, type TransferStatus } from './wire';

export const ID = 'lifi';

export interface LifiQuestion {
  readonly request: QuoteRequest;
  readonly sender: string;
  readonly recipient: string;
  readonly slippage: PartsPerMillion;
  /** The only bridge or exchange that is asked for; any when absent. */
  readonly tool?: string | undefined;
}

type Http = Pick<HttpClient, 'get'>;

/** `GET /v1/quote`. The simulation of LI.FI takes longer than a quote may, and the service has its own. @throws UpstreamError */
export async function askStep(http: Http, question: LifiQuestion, signal: AbortSignal): Promise<Step> {
  const { request, sender, recipient, slippage, tool } = question;
  const { origin, destination, tokenIn, tokenOut, amount, transferSpeed } = request;
  const isCrossChain = origin.chainId !== destination.chainId;
  const query = {
    fromChain: origin.chainId,
    toChain: destination.chainId,
    fromToken: spelled(tokenIn.address),
    toToken: spelled(tokenOut.address),
    fromAmount: amount.toString(),
    fromAddress: sender,
    toAddress: recipient,
    slippage: formatSlippage(slippage),
    order: transferSpeed === 'fast' ? 'FASTEST' : 'CHEAPEST',
    allowBridges: isCrossChain ? tool : undefined,
    allowExchanges: isCrossChain ? undefined : tool,
    skipSimulation: true,
  };
  return parsed(stepAnswer, await http.get('/v1/quote', query, signal));
}

export interface TransferQuestion {
  readonly txHash: string;
  /** Bridge that carries it out, where it is known: without it LI.FI has to find out. */
  readonly bridge: string | undefined;
  readonly fromChain: number;
  readonly toChain: number;
}

const NOT_FOUND = 404;

/** `GET /v1/status`. @throws UpstreamError */
export async function askStatus(http: Http, question: TransferQuestion, signal: AbortSignal): Promise<TransferStatus> {
  try {
    return parsed(statusAnswer, await http.get('/v1/status', { ...question }, signal));
  } catch (error) {
    if (error instanceof UpstreamError && error.status === NOT_FOUND)
      return statusAnswer.parse({ status: 'NOT_FOUND' });
    throw error;
  }
}

const spelled = (token: string): string => (isNativeToken(token) ? ZERO_ADDRESS : token);

function parsed<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw new UpstreamError('its answer is not what was agreed', { kind: 'unreadable', cause: result.error });
}
