import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import { lessShare, type PartsPerMillion } from '../../../money/slippage';
import type { BitcoinRpc } from '../../../rpc/bitcoin/bitcoin-rpc';
import type { Rpc } from '../../../rpc/rpc';
import type { BridgeProvider } from '../../delivery-source';
import type { DepositRequest, ProviderCapabilities, ProviderQuote, QuoteRequest } from '../../quote-provider';
import { createRelayDeliveries } from './deliveries';
import { askRelay, bridgeError, type DepositQuestion, ID } from './relay-api';
import type { QuoteAnswer } from './wire';

export interface RelayDeps {
  readonly http: Pick<HttpClient, 'get' | 'post'>;
  readonly bitcoin: BitcoinRpc;
  readonly rpc: Pick<Rpc, 'serves'>;
}

/** Stands for the wallet when only a price is wanted: the interface asks for one. */
const NOBODY = '0x000000000000000000000000000000000000dEaD';

/** Bitcoin to tokens on EVM chains through Relay: a deposit address is opened, and whoever pays to it starts the swap. */
export function createRelayProvider({ http, bitcoin, rpc }: RelayDeps): BridgeProvider {
  const supports: ProviderCapabilities['supports'] = ({ origin, destination, side }) =>
    origin.kind === 'bitcoin' &&
    bitcoin.serves(origin.chainId) &&
    destination.kind === 'evm' &&
    rpc.serves(destination.chainId) &&
    side === 'in';
  return {
    id: ID,
    capabilities: { supports },
    deliveries: createRelayDeliveries({ http, bitcoin }),
    async quote(request, signal) {
      if (!supports(request)) return undefined;
      const recipient = request.destinationAddress ?? NOBODY;
      const answer = await askRelay(http, { request, recipient, refundTo: undefined, open: false }, signal);
      return answer === undefined ? undefined : quoteOf(request, answer);
    },
    async build(parameters, signal) {
      const { request, quote, sender, recipient } = parameters;
      const question = { request, recipient, refundTo: request.refundAddress ?? sender, open: true };
      const answer = await askAgain(http, { question, minimum: quote.minAmountOut }, signal).catch((error: unknown) => {
        throw bridgeError(error);
      });
      if (answer === undefined) throw serviceError('QUOTE_EXPIRED');
      return depositOf(request, answer);
    },
  };
}

const WHOLE = 1_000_000n;

/**
 * A deposit whose minimum is at least what was promised; `undefined` when there is none any more. When the price moved a
 * little, what is left of the slippage keeps the minimum where it was.
 */
async function askAgain(
  http: RelayDeps['http'],
  { question, minimum }: { readonly question: DepositQuestion; readonly minimum: bigint },
  signal: AbortSignal,
): Promise<QuoteAnswer | undefined> {
  const keeps = ({ details }: QuoteAnswer): boolean => details.currencyOut.minimumAmount >= minimum;
  const answer = await askRelay(http, question, signal);
  if (answer === undefined || keeps(answer)) return answer;
  const { amount } = answer.details.currencyOut;
  if (amount < minimum) return undefined;
  const slippage = (((amount - minimum) * WHOLE) / amount) as PartsPerMillion;
  const tighter = await askRelay(http, { ...question, request: { ...question.request, slippage } }, signal);
  return tighter !== undefined && keeps(tighter) ? tighter : undefined;
}

function quoteOf(request: QuoteRequest, { details, fees }: QuoteAnswer): ProviderQuote {
  const { currencyIn, currencyOut, timeEstimate, totalImpact } = details;
  const { relayer } = fees;
  const isOut = relayer !== undefined && relayer.currency.symbol === request.tokenOut.symbol;
  const isIn = relayer !== undefined && relayer.currency.symbol === request.tokenIn.symbol;
  const charge =
    isIn || isOut
      ? [{ label: 'Relayer fee', asset: isIn ? 'tokenIn' : 'tokenOut', amount: toBaseUnits(relayer.amount) } as const]
      : [];
  const expected = toBaseUnits(currencyOut.amount);
  // Where Relay rounds otherwise than we do, the deposit is opened with less slippage.
  const asked = lessShare(expected, request.slippage);
  return {
    provider: ID,
    amountIn: toBaseUnits(currencyIn.amount),
    maxAmountIn: toBaseUnits(currencyIn.amount),
    expectedAmountOut: expected,
    minAmountOut: currencyOut.minimumAmount > asked ? toBaseUnits(currencyOut.minimumAmount) : asked,
    route: [
      {
        protocol: ID,
        chainId: request.origin.chainId,
        shareBps: 10_000,
        pool: ID,
        tokenIn: request.tokenIn.address,
        tokenOut: request.tokenOut.address,
      },
    ],
    priceImpactBps: Math.max(0, Math.round(Math.abs(totalImpact?.percent ?? 0) * 100)),
    // Nobody signs a transaction that takes gas: the deposit is an ordinary payment.
    gasLimit: 0n,
    estimatedDurationSeconds: timeEstimate,
    fees: charge,
    execution: {},
  };
}

function depositOf(request: QuoteRequest, { steps }: QuoteAnswer): DepositRequest {
  const step = steps.find(({ depositAddress }) => depositAddress !== undefined);
  if (step?.depositAddress === undefined || step.requestId === undefined) {
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason: 'Relay opened no deposit address' });
  }
  const { depositAddress: address, requestId: reference } = step;
  return { kind: 'deposit', chainId: request.origin.chainId, address, amount: request.amount, reference };
}
