import { createAssociatedTokenAccountIdempotentInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { ComputeBudgetProgram, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { WRAPPED_SOL } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import type {
  BuildParameters,
  ProviderCapabilities,
  ProviderQuote,
  QuoteProvider,
  QuoteRequest,
  RouteLeg,
  SolanaInstruction,
  SolanaProgramCall,
} from '../../quote-provider';
import { amountInTooHigh } from '../../amount-bounds';
import { fetchSwap, JUPITER, type JupiterSwapParameters, type JupiterSwap } from './jupiter-api';
import { findInstructionFlaw } from './swap-instructions';
import type { JupiterPrice } from './api-schemas';

/** Solana reads of the adapter. */
export interface SolanaReader {
  serves(chainId: number): boolean;
  /** Contents of lookup tables by table address. @throws PROVIDER_UNAVAILABLE */
  lookupTables(
    chainId: number,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, readonly string[]>>>;
}

export interface JupiterDeps {
  readonly http: Pick<HttpClient, 'get' | 'post'>;
  readonly solana: SolanaReader;
}

/** Used while no wallet is given: the API requires an address. */
const PLACEHOLDER_WALLET = '1nc1nerator11111111111111111111111111111111';
/** Solana's token programs store amounts in 64 bits. */
const MAX_TOKEN_AMOUNT = 2n ** 64n - 1n;
/** Compute units of a swap over a few pools. The real use is simulated before the transaction is returned. */
const TYPICAL_UNITS = 250_000n;

/** Swaps of tokens on Solana through Jupiter, exact amounts in. */
export function createJupiterProvider({ http, solana }: JupiterDeps): QuoteProvider {
  const supports: ProviderCapabilities['supports'] = ({ origin, destination, side }) =>
    origin.jupiter !== undefined &&
    origin.chainId === destination.chainId &&
    side === 'in' &&
    solana.serves(origin.chainId);
  return {
    id: JUPITER,
    capabilities: { supports },
    async quote(request, signal) {
      if (!supports(request)) return undefined;
      if (request.amount > MAX_TOKEN_AMOUNT) throw amountInTooHigh(MAX_TOKEN_AMOUNT, request.tokenIn);
      const taker = request.originAddress ?? PLACEHOLDER_WALLET;
      const swap = await fetchSwap(http, swapParameters(request, { taker, recipient: taker }), signal);
      return swap === undefined ? undefined : quoteOf(request, swap.price);
    },
    async build(parameters, signal) {
      const { request, quote, sender, recipient } = parameters;
      const swap = await fetchSwap(http, swapParameters(request, { taker: sender, recipient }), signal);
      if (swap === undefined) throw expired();
      if (swap.price.inAmount !== quote.amountIn || swap.price.otherAmountThreshold < quote.minAmountOut)
        throw expired();
      const { chainId } = request.origin;
      const lookupTables = swap.lookupTables ?? (await solana.lookupTables(chainId, swap.lookupTableAddresses, signal));
      return programCall(parameters, swap, lookupTables);
    },
  };
}

const expired = () => serviceError('QUOTE_EXPIRED');

interface SwapParties {
  readonly taker: string;
  readonly recipient: string;
}

function swapParameters(request: QuoteRequest, { taker, recipient }: SwapParties): JupiterSwapParameters {
  const { tokenIn, tokenOut, amount, slippage } = request;
  const forAnother = recipient !== taker;
  const isSol = tokenOut.address === WRAPPED_SOL;
  return {
    inputMint: tokenIn.address,
    outputMint: tokenOut.address,
    amount,
    taker,
    slippageBps: Number.parseInt((slippage / 100n).toString(), 10),
    nativeDestinationAccount: forAnother && isSol ? recipient : undefined,
    destinationTokenAccount: forAnother && !isSol ? tokenAccountOf(tokenOut.address, recipient).toBase58() : undefined,
  };
}

const tokenAccountOf = (mint: string, owner: string): PublicKey =>
  getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner), true);

function quoteOf(request: QuoteRequest, price: JupiterPrice): ProviderQuote {
  return {
    provider: JUPITER,
    amountIn: toBaseUnits(price.inAmount),
    maxAmountIn: toBaseUnits(price.inAmount),
    expectedAmountOut: toBaseUnits(price.outAmount),
    minAmountOut: toBaseUnits(price.otherAmountThreshold),
    route: price.routePlan.map((step) => legOf(request.origin.chainId, step)),
    priceImpactBps: price.priceImpactPct,
    gasLimit: TYPICAL_UNITS,
    estimatedDurationSeconds: 15,
    execution: {},
  };
}

const legOf = (chainId: number, { swapInfo, bps, percent }: JupiterPrice['routePlan'][number]): RouteLeg => ({
  protocol: swapInfo.label,
  chainId,
  tokenIn: swapInfo.inputMint,
  tokenOut: swapInfo.outputMint,
  shareBps: Math.round(bps ?? (percent ?? 100) * 100),
  pool: swapInfo.ammKey,
});

/** Compute limit and price are added when the transaction is composed. */
const COMPUTE_BUDGET = ComputeBudgetProgram.programId.toBase58();

/** The verified instructions of a swap: only what a swap needs, and no signature but that of the wallet. */
function programCall(
  { request, sender, recipient }: BuildParameters,
  swap: JupiterSwap,
  lookupTables: SolanaProgramCall['lookupTables'],
): SolanaProgramCall {
  const instructions = swap.instructions.filter(({ programId }) => programId !== COMPUTE_BUDGET);
  const { origin, tokenIn, tokenOut, amount: amountIn } = request;
  const parties = { program: origin.jupiter?.program, sender, recipient };
  const flaw = findInstructionFlaw(instructions, {
    ...parties,
    amountIn,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
  });
  if (flaw !== undefined) throw flawError(flaw);
  const opening = recipient === sender ? [] : openTokenAccount({ request, sender, recipient });
  return {
    kind: 'instructions',
    chainId: origin.chainId,
    from: sender,
    instructions: [...opening, ...instructions],
    lookupTables,
  };
}

const flawError = (what: string) =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: `the transaction that ${JUPITER} built ${what}` });

/** Opens the token account of the recipient at the expense of the sender, where it does not exist. */
function openTokenAccount({
  request: { tokenOut },
  sender,
  recipient,
}: Pick<BuildParameters, 'request' | 'sender' | 'recipient'>): readonly SolanaInstruction[] {
  if (tokenOut.address === WRAPPED_SOL) return [];
  const [payer, owner, mint] = [sender, recipient, tokenOut.address].map((address) => new PublicKey(address));
  if (payer === undefined || owner === undefined || mint === undefined) return [];
  const account = tokenAccountOf(tokenOut.address, recipient);
  return [asInstruction(createAssociatedTokenAccountIdempotentInstruction(payer, account, owner, mint))];
}

const asInstruction = ({ programId, keys, data }: TransactionInstruction): SolanaInstruction => ({
  programId: programId.toBase58(),
  accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({ pubkey: pubkey.toBase58(), isSigner, isWritable })),
  data: data.toString('base64'),
});
