import type { z } from 'zod';
import type { HttpClient } from '../../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import {
  buildResponse,
  instructionsResponse,
  type JupiterPrice,
  quoteResponseSchema,
  jupiterErrorResponse,
  type WireInstruction,
} from './api-schemas';

export const JUPITER = 'jupiter';

/** Parameters of a swap, common to both API versions. Amounts in base units. */
export interface JupiterSwapParameters {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly amount: bigint;
  readonly slippageBps: number;
  /** Wallet that signs. */
  readonly taker: string;
  /** Recipient of the bought token when it is not the taker: a token account, or a wallet for SOL. */
  readonly destinationTokenAccount: string | undefined;
  readonly nativeDestinationAccount: string | undefined;
}

export interface JupiterSwap {
  readonly price: JupiterPrice;
  readonly instructions: readonly WireInstruction[];
  /** Contents of lookup tables; `undefined` when only their addresses are returned. */
  readonly lookupTables: Readonly<Record<string, readonly string[]>> | undefined;
  readonly lookupTableAddresses: readonly string[];
}

/** Codes for a trade without a route; every other error code is a failure. */
const NO_ROUTE: ReadonlySet<string> = new Set([
  'NO_ROUTES_FOUND',
  'COULD_NOT_FIND_ANY_ROUTE',
  'TOKEN_NOT_TRADABLE',
  'CIRCULAR_ARBITRAGE_IS_DISABLED',
  'ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT',
]);

/**
 * Uses version 2 of the API, and version 1 when version 2 fails. `undefined` when there is no route.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function fetchSwap(
  http: Pick<HttpClient, 'get' | 'post'>,
  swapRequest: JupiterSwapParameters,
  signal: AbortSignal,
): Promise<JupiterSwap | undefined> {
  try {
    return await build(http, swapRequest, signal);
  } catch (error) {
    if (isNoRoute(error)) return undefined;
    if (signal.aborted || isRateLimited(error)) throw providerUnavailable(JUPITER, error);
  }
  try {
    return await fetchFirstVersion(http, swapRequest, signal);
  } catch (error) {
    if (isNoRoute(error)) return undefined;
    throw providerUnavailable(JUPITER, error);
  }
}

/** Another request under a rate limit would prolong it. */
const isRateLimited = (error: unknown): boolean => error instanceof UpstreamError && error.status === 429;

function isNoRoute(error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.kind !== 'status') return false;
  const errorResponse = jupiterErrorResponse.safeParse(error.body);
  return errorResponse.success && NO_ROUTE.has(errorResponse.data.code ?? errorResponse.data.errorCode ?? '');
}

async function build(
  http: Pick<HttpClient, 'get'>,
  swapRequest: JupiterSwapParameters,
  signal: AbortSignal,
): Promise<JupiterSwap> {
  const { amount, ...rest } = swapRequest;
  const body = await http.get('/swap/v2/build', { ...rest, amount: amount.toString() }, signal);
  const response = parseResponse(buildResponse, body);
  const { addressesByLookupTableAddress: lookupTables } = response;
  return {
    price: response,
    instructions: inOrder(response),
    lookupTables: lookupTables ?? {},
    lookupTableAddresses: Object.keys(lookupTables ?? {}),
  };
}

async function fetchFirstVersion(
  http: Pick<HttpClient, 'get' | 'post'>,
  { amount, taker, ...swapRequest }: JupiterSwapParameters,
  signal: AbortSignal,
): Promise<JupiterSwap> {
  const { inputMint, outputMint, slippageBps, destinationTokenAccount, nativeDestinationAccount } = swapRequest;
  const query = { inputMint, outputMint, slippageBps, amount: amount.toString() };
  // The whole response is sent back, including unknown fields.
  const quoteResponse = await http.get('/swap/v1/quote', query, signal);
  const price = parseResponse(quoteResponseSchema, quoteResponse);
  const destination = { destinationTokenAccount, nativeDestinationAccount };
  const body = { quoteResponse, userPublicKey: taker, ...destination };
  const response = parseResponse(instructionsResponse, await http.post('/swap/v1/swap-instructions', body, signal));
  const { addressLookupTableAddresses } = response;
  const isComplete = addressLookupTableAddresses.length === 0;
  return {
    price,
    instructions: inOrder(response),
    lookupTables: isComplete ? {} : undefined,
    lookupTableAddresses: addressLookupTableAddresses,
  };
}

interface Instructions extends Omit<z.output<typeof instructionsResponse>, 'addressLookupTableAddresses'> {
  readonly tipInstruction?: WireInstruction | null | undefined;
}

function inOrder(response: Instructions): readonly WireInstruction[] {
  const { setupInstructions, swapInstruction, cleanupInstruction, otherInstructions, tipInstruction } = response;
  const last = [cleanupInstruction, tipInstruction].filter((each) => each !== null && each !== undefined);
  return [...setupInstructions, swapInstruction, ...otherInstructions, ...last];
}

function parseResponse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new UpstreamError('its response has an unexpected form', { kind: 'unreadable', cause: result.error });
}
