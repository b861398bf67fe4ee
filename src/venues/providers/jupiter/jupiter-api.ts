import type { z } from 'zod';
import type { HttpClient } from '../../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { buildAnswer, instructionsAnswer, type Price, quoteAnswer, refusal, type WireInstruction } from './wire';

export const ID = 'jupiter';

/** A swap as both versions of the interface want it. Amounts in base units. */
export interface JupiterQuestion {
  readonly inputMint: string;
  readonly outputMint: string;
  readonly amount: bigint;
  readonly slippageBps: number;
  /** Wallet that signs. */
  readonly taker: string;
  /** Where the bought token goes when not to the taker: a token account, or a wallet for SOL. */
  readonly destinationTokenAccount: string | undefined;
  readonly nativeDestinationAccount: string | undefined;
}

export interface JupiterSwap {
  readonly price: Price;
  readonly instructions: readonly WireInstruction[];
  /** What look-up tables hold; `undefined` when only their addresses are known. */
  readonly lookupTables: Readonly<Record<string, readonly string[]>> | undefined;
  readonly lookupTableAddresses: readonly string[];
}

/** Codes that say that there is no such trade; anything else that is refused is a failure. */
const NO_ROUTE: ReadonlySet<string> = new Set([
  'NO_ROUTES_FOUND',
  'COULD_NOT_FIND_ANY_ROUTE',
  'TOKEN_NOT_TRADABLE',
  'CIRCULAR_ARBITRAGE_IS_DISABLED',
  'ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT',
]);

/**
 * Asks the second version of the interface, and the first when the second cannot be used. `undefined` when there is no
 * route.
 *
 * @throws PROVIDER_UNAVAILABLE
 */
export async function askJupiter(
  http: Pick<HttpClient, 'get' | 'post'>,
  question: JupiterQuestion,
  signal: AbortSignal,
): Promise<JupiterSwap | undefined> {
  try {
    return await build(http, question, signal);
  } catch (error) {
    if (isNoRoute(error)) return undefined;
    if (signal.aborted || isLimit(error)) throw providerUnavailable(ID, error);
  }
  try {
    return await firstVersion(http, question, signal);
  } catch (error) {
    if (isNoRoute(error)) return undefined;
    throw providerUnavailable(ID, error);
  }
}

/** Asking again under a rate limit would only prolong it. */
const isLimit = (error: unknown): boolean => error instanceof UpstreamError && error.status === 429;

function isNoRoute(error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.kind !== 'status') return false;
  const said = refusal.safeParse(error.body);
  return said.success && NO_ROUTE.has(said.data.code ?? said.data.errorCode ?? '');
}

async function build(
  http: Pick<HttpClient, 'get'>,
  question: JupiterQuestion,
  signal: AbortSignal,
): Promise<JupiterSwap> {
  const { amount, ...rest } = question;
  const body = await http.get('/swap/v2/build', { ...rest, amount: amount.toString() }, signal);
  const answer = parsed(buildAnswer, body);
  const { addressesByLookupTableAddress: lookupTables } = answer;
  return {
    price: answer,
    instructions: inOrder(answer),
    lookupTables: lookupTables ?? {},
    lookupTableAddresses: Object.keys(lookupTables ?? {}),
  };
}

async function firstVersion(
  http: Pick<HttpClient, 'get' | 'post'>,
  { amount, taker, ...question }: JupiterQuestion,
  signal: AbortSignal,
): Promise<JupiterSwap> {
  const { inputMint, outputMint, slippageBps, destinationTokenAccount, nativeDestinationAccount } = question;
  const query = { inputMint, outputMint, slippageBps, amount: amount.toString() };
  // Goes back as it came, with everything in it that is not ours to know.
  const quoteResponse = await http.get('/swap/v1/quote', query, signal);
  const price = parsed(quoteAnswer, quoteResponse);
  const destination = { destinationTokenAccount, nativeDestinationAccount };
  const body = { quoteResponse, userPublicKey: taker, ...destination };
  const answer = parsed(instructionsAnswer, await http.post('/swap/v1/swap-instructions', body, signal));
  const { addressLookupTableAddresses } = answer;
  const isComplete = addressLookupTableAddresses.length === 0;
  return {
    price,
    instructions: inOrder(answer),
    lookupTables: isComplete ? {} : undefined,
    lookupTableAddresses: addressLookupTableAddresses,
  };
}

interface Instructions extends Omit<z.output<typeof instructionsAnswer>, 'addressLookupTableAddresses'> {
  readonly tipInstruction?: WireInstruction | null | undefined;
}

function inOrder(answer: Instructions): readonly WireInstruction[] {
  const { setupInstructions, swapInstruction, cleanupInstruction, otherInstructions, tipInstruction } = answer;
  const last = [cleanupInstruction, tipInstruction].filter((each) => each !== null && each !== undefined);
  return [...setupInstructions, swapInstruction, ...otherInstructions, ...last];
}

function parsed<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new UpstreamError('its answer is not what was agreed', { kind: 'unreadable', cause: result.error });
}
