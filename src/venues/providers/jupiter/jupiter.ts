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
import { askJupiter, ID, type JupiterQuestion, type JupiterSwap } from './jupiter-api';
import { instructionsFlaw } from './swap-instructions';
import type { Price } from './wire';

/** What the adapter needs of Solana. */
export interface SolanaReader {
  serves(chainId: number): boolean;
  /** Addresses that look-up tables hold, by the address of the table. @throws PROVIDER_UNAVAILABLE */
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

/** Stands for the wallet when only a price is wanted: the interface asks for one. */
const NOBODY = '1nc1nerator11111111111111111111111111111111';
/** Compute units of a swap over a few markets; what it really takes is simulated before it is handed out. */
const TYPICAL_UNITS = 250_000n;

/** Swaps of tokens on Solana through Jupiter, exact amounts in. */
export function createJupiterProvider({ http, solana }: JupiterDeps): QuoteProvider {
  const supports: ProviderCapabilities['supports'] = ({ origin, destination, side }) =>
    origin.jupiter !== undefined &&
    origin.chainId === destination.chainId &&
    side === 'in' &&
    solana.serves(origin.chainId);
  return {
    id: ID,
    capabilities: { supports },
    async quote(request, signal) {
      if (!supports(request)) return undefined;
      const taker = request.originAddress ?? NOBODY;
      const swap = await askJupiter(http, questionOf(request, { taker, recipient: taker }), signal);
      return swap === undefined ? undefined : quoteOf(request, swap.price);
    },
    async build(parameters, signal) {
      const { request, quote, sender, recipient } = parameters;
      const swap = await askJupiter(http, questionOf(request, { taker: sender, recipient }), signal);
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

interface Parties {
  readonly taker: string;
  readonly recipient: string;
}

function questionOf(request: QuoteRequest, { taker, recipient }: Parties): JupiterQuestion {
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

function quoteOf(request: QuoteRequest, price: Price): ProviderQuote {
  return {
    provider: ID,
    amountIn: toBaseUnits(price.inAmount),
    maxAmountIn: toBaseUnits(price.inAmount),
    expectedAmountOut: toBaseUnits(price.outAmount),
    minAmountOut: toBaseUnits(price.otherAmountThreshold),
    route: price.routePlan.map((step) => legOf(request.origin.chainId, step)),
    priceImpactBps: Math.max(0, Math.round(Math.abs(price.priceImpactPct) * 10_000)),
    gasLimit: TYPICAL_UNITS,
    estimatedDurationSeconds: 15,
    execution: {},
  };
}

const legOf = (chainId: number, { swapInfo, bps, percent }: Price['routePlan'][number]): RouteLeg => ({
  protocol: swapInfo.label,
  chainId,
  tokenIn: swapInfo.inputMint,
  tokenOut: swapInfo.outputMint,
  shareBps: Math.round(bps ?? (percent ?? 100) * 100),
  pool: swapInfo.ammKey,
});

/** Compute limit and price are set by whoever composes the transaction. */
const COMPUTE_BUDGET = ComputeBudgetProgram.programId.toBase58();

/**
 * The instructions of a swap, after a look at whom they serve: only what a swap needs, and nobody's signature but
 * the wallet's.
 */
function programCall(
  { request, sender, recipient }: BuildParameters,
  swap: JupiterSwap,
  lookupTables: SolanaProgramCall['lookupTables'],
): SolanaProgramCall {
  const instructions = swap.instructions.filter(({ programId }) => programId !== COMPUTE_BUDGET);
  const { origin, tokenIn, tokenOut, amount: amountIn } = request;
  const parties = { program: origin.jupiter?.program, sender, recipient };
  const flaw = instructionsFlaw(instructions, {
    ...parties,
    amountIn,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
  });
  if (flaw !== undefined) throw unfit(flaw);
  const opening = recipient === sender ? [] : openTokenAccount({ request, sender, recipient });
  return {
    kind: 'instructions',
    chainId: origin.chainId,
    from: sender,
    instructions: [...opening, ...instructions],
    lookupTables,
  };
}

const unfit = (what: string) =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: `the transaction that ${ID} built ${what}` });

/** The recipient may have no account of the token yet; its sender pays for it. */
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
