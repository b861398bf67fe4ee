import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Connection, Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { z } from 'zod';
import { type EmulatorResponse, type EmulatorRequest, type HttpEmulator, startHttpEmulator } from '../http-emulator';
import { openVenue, type Venue, type VenueInstructions, type VenueToken } from './venue';

export interface JupiterEmulatorOptions {
  readonly rpcUrl: string;
  /** Holds SOL and some of each token: it sells them. */
  readonly venueSecretKey: Uint8Array;
  readonly tokens: readonly VenueToken[];
  /** Dollars for one whole token, by symbol. */
  readonly prices: Readonly<Record<string, number>>;
}

export interface JupiterEmulator extends HttpEmulator {
  /** The program that its swaps call: there is no aggregator's program on the local chain, the token program plays it. */
  readonly program: string;
}

const MODES = ['normal', 'noRoute', 'secondVersionDown', 'foreignSigner', 'foreignProgram'] as const;
/** The interface's own stand-in for a wallet, for which next to nothing is set aside. */
const STAND_IN_WALLET = '1nc1nerator11111111111111111111111111111111';
const SPREAD_PPM = 1000n;
const MILLION = 1_000_000n;
/** A trade of this many dollars moves the price by all of itself. */
const DEPTH_USD = 50_000_000;

/**
 * Jupiter's swap interface, second version and first, on the local Solana chain. Prices are fixed; the bought tokens come
 * out of the emulator's own holdings in the very transaction of the taker.
 *
 * `POST /_control/jupiter {mode}`: `normal`, `noRoute`, `secondVersionDown`, `foreignSigner`, `foreignProgram`.
 */
export async function startJupiterEmulator(options: JupiterEmulatorOptions): Promise<JupiterEmulator> {
  const connection = new Connection(options.rpcUrl, 'confirmed');
  const venue = await openVenue(connection, Keypair.fromSecretKey(options.venueSecretKey), options.tokens);
  const market: Market = { ...options, venue, mode: 'normal' };
  const emulator = await startHttpEmulator({
    routes: {
      'GET /swap/v2/build': (request) => build(market, request),
      'GET /swap/v1/quote': (request) => quote(market, request),
      'POST /swap/v1/swap-instructions': (request) => swapInstructions(market, request),
      'POST /_control/jupiter': ({ body }) => {
        market.mode = z.object({ mode: z.enum(MODES) }).parse(body).mode;
        return { status: 204 };
      },
    },
  });
  return { ...emulator, program: TOKEN_PROGRAM_ID.toBase58() };
}

interface Market extends JupiterEmulatorOptions {
  readonly venue: Venue;
  mode: (typeof MODES)[number];
}

const quoteQuery = z.object({
  inputMint: z.string(),
  outputMint: z.string(),
  amount: z.string().regex(/^[0-9]{1,20}$/),
  slippageBps: z.coerce.number().int().min(0).max(10_000).default(50),
});
type QuoteQuery = z.infer<typeof quoteQuery>;

const noRoute: EmulatorResponse = {
  status: 400,
  body: { code: 'NO_ROUTES_FOUND', error: 'No routes found', errorCode: 'NO_ROUTES_FOUND' },
};

interface Priced {
  readonly tokenIn: VenueToken;
  readonly tokenOut: VenueToken;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** As both versions show it. */
  readonly shown: Record<string, unknown>;
}

function price(market: Market, parsed: QuoteQuery): Priced | undefined {
  const [tokenIn, tokenOut] = [parsed.inputMint, parsed.outputMint].map((mint) =>
    market.tokens.find((token) => token.mint === mint),
  );
  if (market.mode === 'noRoute' || tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut)
    return undefined;
  const [usdIn, usdOut] = [tokenIn, tokenOut].map(({ symbol }) => market.prices[symbol]);
  if (usdIn === undefined || usdOut === undefined) return undefined;
  const amountIn = BigInt(parsed.amount);
  const dollars = (Number.parseInt(parsed.amount, 10) / 10 ** tokenIn.decimals) * usdIn;
  const impact = Math.min(0.99, dollars / DEPTH_USD);
  const ratePpb = BigInt(Math.round((usdIn / usdOut) * (1 - impact) * 1e9));
  const scaled =
    (amountIn * ratePpb * 10n ** BigInt(tokenOut.decimals)) / (10n ** BigInt(tokenIn.decimals) * 10n ** 9n);
  const amountOut = (scaled * (MILLION - SPREAD_PPM)) / MILLION;
  if (amountOut === 0n) return undefined;
  const threshold = (amountOut * BigInt(10_000 - parsed.slippageBps) + 9_999n) / 10_000n;
  const swapInfo = {
    ammKey: market.venue.lookupTable.address,
    label: 'Local',
    inputMint: tokenIn.mint,
    outputMint: tokenOut.mint,
  };
  return {
    tokenIn,
    tokenOut,
    amountIn,
    amountOut,
    shown: {
      inputMint: tokenIn.mint,
      outputMint: tokenOut.mint,
      inAmount: parsed.amount,
      outAmount: amountOut.toString(),
      otherAmountThreshold: threshold.toString(),
      swapMode: 'ExactIn',
      slippageBps: parsed.slippageBps,
      priceImpactPct: impact.toFixed(6),
      routePlan: [{ swapInfo, percent: 100, bps: 10_000 }],
    },
  };
}

async function build(market: Market, { query }: EmulatorRequest): Promise<EmulatorResponse> {
  if (market.mode === 'secondVersionDown') return { status: 503, body: { error: 'unavailable' } };
  const parsed = quoteQuery.extend({ taker: z.string() }).safeParse(Object.fromEntries(query));
  if (!parsed.success) return { status: 400, body: { code: 'INVALID_REQUEST', error: parsed.error.message } };
  const priced = price(market, parsed.data);
  if (priced === undefined) return noRoute;
  const destination = query.get('destinationTokenAccount') ?? query.get('nativeDestinationAccount');
  const instructions = await instructionsFor(market, priced, { taker: parsed.data.taker, destination });
  const { address, addresses } = market.venue.lookupTable;
  return {
    body: {
      ...priced.shown,
      ...shown(instructions),
      computeBudgetInstructions: [],
      addressesByLookupTableAddress: { [address]: addresses },
      blockhashWithMetadata: { blockhash: [], lastValidBlockHeight: 0 },
    },
  };
}

function quote(market: Market, { query }: EmulatorRequest): EmulatorResponse {
  const parsed = quoteQuery.safeParse(Object.fromEntries(query));
  const priced = parsed.success ? price(market, parsed.data) : undefined;
  return priced === undefined ? noRoute : { body: { ...priced.shown, contextSlot: 1, timeTaken: 0.001 } };
}

const instructionsBody = z.object({
  quoteResponse: z.object({
    inputMint: z.string(),
    outputMint: z.string(),
    inAmount: z.string(),
    slippageBps: z.number(),
  }),
  userPublicKey: z.string(),
  destinationTokenAccount: z.string().optional(),
  nativeDestinationAccount: z.string().optional(),
});

async function swapInstructions(market: Market, { body }: EmulatorRequest): Promise<EmulatorResponse> {
  const { quoteResponse, userPublicKey, ...destinations } = instructionsBody.parse(body);
  const priced = price(market, { ...quoteResponse, amount: quoteResponse.inAmount });
  if (priced === undefined) return noRoute;
  const destination = destinations.destinationTokenAccount ?? destinations.nativeDestinationAccount ?? null;
  const instructions = await instructionsFor(market, priced, { taker: userPublicKey, destination });
  const addressLookupTableAddresses = [market.venue.lookupTable.address];
  return { body: { ...shown(instructions), computeBudgetInstructions: [], addressLookupTableAddresses } };
}

interface Parties {
  readonly taker: string;
  readonly destination: string | null;
}

async function instructionsFor(market: Market, priced: Priced, parties: Parties): Promise<VenueInstructions> {
  const taker = new PublicKey(parties.taker);
  const destination = parties.destination === null ? undefined : new PublicKey(parties.destination);
  const { tokenIn, tokenOut, amountIn, amountOut } = priced;
  const swap = { taker, tokenIn, tokenOut, amountIn, amountOut, destination };
  const instructions = await market.venue.prepare(
    parties.taker === STAND_IN_WALLET ? { ...swap, amountOut: 1n } : swap,
  );
  return market.mode === 'foreignSigner' || market.mode === 'foreignProgram'
    ? withForeignInstruction(instructions, market.mode)
    : instructions;
}

/** Instructions as a hostile aggregator could return them. */
function withForeignInstruction(
  instructions: VenueInstructions,
  mode: 'foreignSigner' | 'foreignProgram',
): VenueInstructions {
  const { swap } = instructions;
  const stranger = Keypair.generate().publicKey;
  const keys = swap.keys.map((key, index) =>
    index === 3 && mode === 'foreignSigner' ? { ...key, pubkey: stranger } : key,
  );
  const programId = mode === 'foreignProgram' ? stranger : swap.programId;
  return { ...instructions, swap: new TransactionInstruction({ keys, programId, data: swap.data }) };
}

const shown = ({ setup, swap, other, cleanup }: VenueInstructions) => ({
  setupInstructions: setup.map(wire),
  swapInstruction: wire(swap),
  otherInstructions: other.map(wire),
  cleanupInstruction: cleanup === undefined ? null : wire(cleanup),
});

const wire = ({ programId, keys, data }: TransactionInstruction) => ({
  programId: programId.toBase58(),
  accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({ pubkey: pubkey.toBase58(), isSigner, isWritable })),
  data: data.toString('base64'),
});
