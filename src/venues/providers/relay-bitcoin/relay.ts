import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import { maxBigInt } from '../../../money/min-max';
import type { PartsPerMillion } from '../../../money/slippage';
import { minimumOutput } from '../../minimum-output';
import type { BitcoinRpc } from '../../../rpc/bitcoin/bitcoin-rpc';
import type { Rpc } from '../../../rpc/rpc';
import type { DeliveryProvider } from '../../delivery-provider';
import type { DepositRequest, ProviderCapabilities, ProviderQuote, QuoteRequest } from '../../quote-provider';
import { createRelayDeliveries } from './relay-deliveries';
import { fetchRelayQuote, bridgeApiError, type RelayQuoteParameters, RELAY } from './relay-api';
import type { RelayQuote } from './api-schemas';

export interface RelayDeps {
  readonly http: Pick<HttpClient, 'get' | 'post'>;
  readonly bitcoin: BitcoinRpc;
  readonly rpc: Pick<Rpc, 'serves'>;
}

/** Used while no wallet is given: the API requires an address. */
const PLACEHOLDER_WALLET = '0x000000000000000000000000000000000000dEaD';

/** Bitcoin to tokens on EVM chains through Relay: a payment to the opened deposit address starts the swap. */
export function createRelayProvider({ http, bitcoin, rpc }: RelayDeps): DeliveryProvider {
  const supports: ProviderCapabilities['supports'] = ({ origin, destination, side }) =>
    origin.kind === 'bitcoin' &&
    bitcoin.serves(origin.chainId) &&
    destination.kind === 'evm' &&
    rpc.serves(destination.chainId) &&
    side === 'in';
  return {
    id: RELAY,
    capabilities: { supports },
    deliveries: createRelayDeliveries({ http, bitcoin }),
    async quote(request, signal) {
      if (!supports(request)) return undefined;
      const recipient = request.destinationAddress ?? PLACEHOLDER_WALLET;
      const response = await fetchRelayQuote(http, { request, recipient, refundTo: undefined, open: false }, signal);
      return response === undefined ? undefined : quoteOf(request, response);
    },
    async build(parameters, signal) {
      const { request, quote, sender, recipient } = parameters;
      const swapParameters = { request, recipient, refundTo: request.refundAddress ?? sender, open: true };
      const response = await fetchQuoteWithMinimum(http, { swapParameters, minimum: quote.minAmountOut }, signal).catch(
        (error: unknown) => {
          throw bridgeApiError(error);
        },
      );
      if (response === undefined) throw serviceError('QUOTE_EXPIRED');
      return depositOf(request, response);
    },
  };
}

const WHOLE = 1_000_000n;

/**
 * A deposit with at least the quoted minimum; `undefined` when the price moved too far. After a small move a smaller
 * slippage keeps the minimum.
 */
async function fetchQuoteWithMinimum(
  http: RelayDeps['http'],
  { swapParameters, minimum }: { readonly swapParameters: RelayQuoteParameters; readonly minimum: bigint },
  signal: AbortSignal,
): Promise<RelayQuote | undefined> {
  const keeps = ({ details }: RelayQuote): boolean => details.currencyOut.minimumAmount >= minimum;
  const response = await fetchRelayQuote(http, swapParameters, signal);
  if (response === undefined || keeps(response)) return response;
  const { amount } = response.details.currencyOut;
  if (amount < minimum) return undefined;
  const slippage = (((amount - minimum) * WHOLE) / amount) as PartsPerMillion;
  const retried = await fetchRelayQuote(
    http,
    { ...swapParameters, request: { ...swapParameters.request, slippage } },
    signal,
  );
  return retried !== undefined && keeps(retried) ? retried : undefined;
}

function quoteOf(request: QuoteRequest, { details, fees }: RelayQuote): ProviderQuote {
  const { currencyIn, currencyOut, timeEstimate } = details;
  const { relayer } = fees;
  const isOut = relayer !== undefined && relayer.currency.symbol === request.tokenOut.symbol;
  const isIn = relayer !== undefined && relayer.currency.symbol === request.tokenIn.symbol;
  const charge =
    isIn || isOut
      ? [{ label: 'Relayer fee', asset: isIn ? 'tokenIn' : 'tokenOut', amount: toBaseUnits(relayer.amount) } as const]
      : [];
  const expected = toBaseUnits(currencyOut.amount);
  // Relay may round differently; the deposit is then opened with a smaller slippage.
  const minimumBySlippage = minimumOutput(expected, request.slippage);
  return {
    provider: RELAY,
    amountIn: toBaseUnits(currencyIn.amount),
    maxAmountIn: toBaseUnits(currencyIn.amount),
    expectedAmountOut: expected,
    minAmountOut: maxBigInt(toBaseUnits(currencyOut.minimumAmount), minimumBySlippage),
    route: [
      {
        protocol: RELAY,
        chainId: request.origin.chainId,
        shareBps: 10_000,
        pool: RELAY,
        tokenIn: request.tokenIn.address,
        tokenOut: request.tokenOut.address,
      },
    ],
    // The impact in the response includes the fees.
    priceImpactBps: undefined,
    // The deposit is an ordinary payment without contract execution.
    gasLimit: 0n,
    estimatedDurationSeconds: timeEstimate,
    fees: charge,
    execution: {},
  };
}

function depositOf(request: QuoteRequest, { steps }: RelayQuote): DepositRequest {
  const step = steps.find(({ depositAddress }) => depositAddress !== undefined);
  if (step?.depositAddress === undefined || step.requestId === undefined) {
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason: 'Relay returned no deposit address' });
  }
  const { depositAddress: address, requestId: reference } = step;
  return { kind: 'deposit', chainId: request.origin.chainId, address, amount: request.amount, reference };
}
