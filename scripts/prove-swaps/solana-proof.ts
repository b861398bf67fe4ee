import { Connection, Keypair, VersionedTransaction } from '@solana/web3.js';
import { fromBase58 } from '../../devnet/solana/base58';
import { WRAPPED_SOL } from '../../src/chains/addresses';
import { invariant } from '../../src/errors/invariant-error';
import type { SolanaInstruction } from '../../src/venues/quote-provider';
import { sendProgramCall, signAndSend, solanaBalance } from '../../test/contract/solana-swaps';
import type { Random } from '../../test/federation/fuzz/random';
import type { RunningService } from '../../test/setup/running-service';
import type { ProvedSwap } from './proved-swap';
import type { ServiceClient, ServiceResponse } from './service-client';
import type { SolanaSwapCase } from './swap-cases';
import { type Execution, execution, quoteResponse, rawTransactions, type ShownQuote } from './wire-schemas';

/** The wallet and the tokens of the local Solana chain. */
export interface SolanaChain {
  readonly slug: string;
  readonly chainId: number;
  readonly connection: Connection;
  readonly signer: Keypair;
  readonly tokens: Readonly<Record<string, string>>;
}

const SLUG = 'solana-local';

export function openSolanaChain({ chains, solanaAccounts }: RunningService): SolanaChain {
  const chain = chains.find(({ slug }) => slug === SLUG);
  const secretKey = solanaAccounts[0]?.secretKey;
  invariant(chain !== undefined && secretKey !== undefined, 'the service has no Solana chain');
  const signer = Keypair.fromSecretKey(fromBase58(secretKey));
  return { ...chain, signer, connection: new Connection(chain.rpcUrl, 'confirmed') };
}

export interface SolanaProof {
  readonly api: ServiceClient;
  readonly chain: SolanaChain;
  readonly proved: SolanaSwapCase;
  readonly random: Random;
}

/**
 * The emulated Jupiter has no pools: a trade of this many dollars moves its price by all of itself. What it sells it holds itself,
 * so that only a small part is executed.
 */
const DEPTH_USD = 50_000_000n;
const EXECUTED_PART = 10_000n;
/** The price of a thousand dollars is practically the one without impact. */
const REFERENCE_TENS = 100n;
/** Base units of ten dollars, about. */
const TEN_DOLLARS: Readonly<Record<string, bigint>> = {
  USDC: 10n ** 7n,
  SOL: 66_666_667n,
  BRZ: 540_000n,
  BRS: 54_000_000n,
};
const MAX_IMPACT_BPS = 1500;
const MAX_DEVIATION_BPS = 5;

interface SolanaTrade {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: bigint;
  /** Base units of `tokenIn` that are worth about ten dollars. */
  readonly tenDollars: bigint;
}

/** Compares the impact of the whole trade with the price of a small one, and executes a part of it. */
export async function proveSolanaTrade(proof: SolanaProof): Promise<ProvedSwap> {
  const trade = randomTrade(proof);
  const { impactDeviation, problems } = await checkImpact(proof, trade);
  const { chain } = proof;
  const part = { ...trade, amountIn: trade.amountIn / EXECUTED_PART };
  const body = required(await requestQuote(proof, part, executableFields(proof)), 'the part');
  const { quote } = quoteResponse.parse(body);
  const executable = await executableOf(proof, body, quote);
  const owner = chain.signer.publicKey.toBase58();
  const balances = () =>
    Promise.all([part.tokenIn, part.tokenOut].map((mint) => solanaBalance(chain.connection, mint, owner)));
  const [inBefore = 0n, outBefore = 0n] = await balances();
  const fee = await send(proof, executable);
  const [inAfter = 0n, outAfter = 0n] = await balances();
  const spent = inBefore - inAfter - (part.tokenIn === WRAPPED_SOL ? fee : 0n);
  const received = outAfter - outBefore + (part.tokenOut === WRAPPED_SOL ? fee : 0n);
  const moved = [
    ...(spent === part.amountIn ? [] : [`the wallet lost ${String(spent)}, quoted ${String(part.amountIn)}`]),
    ...(received === BigInt(quote.expectedAmountOut)
      ? []
      : [`the wallet gained ${String(received)}, quoted ${quote.expectedAmountOut}`]),
  ];
  const { id: actionId } = executable;
  const figures = { impactDeviation, dollarDeviation: 0, poolDeviation: undefined };
  return {
    ...figures,
    problems: [...problems, ...moved],
    proved: proof.proved,
    kind: 'within the bound',
    quote,
    actionId,
    spent,
    received,
  };
}

function randomTrade({ chain, random, proved }: SolanaProof): SolanaTrade {
  const symbols = Object.keys(TEN_DOLLARS);
  const sold = random.pick(symbols);
  const bought = random.pick(symbols.filter((symbol) => symbol !== sold));
  const tenDollars = TEN_DOLLARS[sold] ?? 0n;
  const whole = (tenDollars * DEPTH_USD * BigInt(proved.shareBps)) / 100_000n;
  const amountIn = (whole * BigInt(80 + random.below(20))) / 100n + BigInt(random.below(1000));
  return { tokenIn: chain.tokens[sold] ?? '', tokenOut: chain.tokens[bought] ?? '', amountIn, tenDollars };
}

interface CheckedImpact {
  readonly impactDeviation: number;
  readonly problems: readonly string[];
}

/** The impact of the trade, or above the bound that of the named maximum and of the trade without a bound. */
async function checkImpact(proof: SolanaProof, trade: SolanaTrade): Promise<CheckedImpact> {
  const small = { ...trade, amountIn: trade.tenDollars * REFERENCE_TENS };
  const reference = shownQuote(await requestQuote(proof, small), 'the reference');
  const quotes = await quotesOf(proof, trade);
  const deviations = quotes.map((quote) => Math.abs(impactAgainst(reference, quote) - impactOf(quote)));
  const wrong = quotes.filter((_, index) => !((deviations[index] ?? NaN) <= MAX_DEVIATION_BPS));
  const isAboveBound = impactOf(quotes[0]) > MAX_IMPACT_BPS;
  const problems = [
    ...wrong.map(
      (quote) => `the impact is ${String(impactAgainst(reference, quote))} bps, shown ${String(impactOf(quote))}`,
    ),
    ...(isAboveBound ? ['the impact is above the bound, and was not refused'] : []),
  ];
  return { impactDeviation: Math.max(...deviations), problems };
}

/** The quote of the trade; for one above the bound those of the named maximum, and of the trade without a bound. */
async function quotesOf(proof: SolanaProof, trade: SolanaTrade): Promise<readonly ShownQuote[]> {
  const first = await requestQuote(proof, trade);
  const maximum = first.refusal?.details?.['maximum'];
  if (first.refusal?.code !== 'AMOUNT_IN_TOO_HIGH' || typeof maximum !== 'string')
    return [shownQuote(first, 'the trade')];
  const largest = await requestQuote(proof, { ...trade, amountIn: BigInt(maximum) });
  const whole = await requestQuote(proof, trade, { maxPriceImpactBps: '10000' });
  return [shownQuote(largest, 'the maximum'), shownQuote(whole, 'the trade without bound')];
}

const shownQuote = (response: ServiceResponse, what: string): ShownQuote =>
  quoteResponse.parse(required(response, what)).quote;

const impactOf = (quote: ShownQuote | undefined): number => quote?.priceImpactBps ?? NaN;

/** The loss of a quote against a reference, in basis points. */
function impactAgainst(reference: ShownQuote, { tokenIn, expectedAmountOut }: ShownQuote): number {
  const fair = BigInt(tokenIn.amount) * BigInt(reference.expectedAmountOut);
  const actual = BigInt(expectedAmountOut) * BigInt(reference.tokenIn.amount);
  return Number.parseInt((((fair - actual) * 1_000_000n) / fair).toString(), 10) / 100;
}

function required({ body, refusal }: ServiceResponse, what: string): unknown {
  invariant(refusal === undefined, `${what} is refused: ${refusal?.code ?? ''}: ${refusal?.message ?? ''}`);
  return body;
}

function requestQuote(
  { api, chain, proved }: SolanaProof,
  trade: SolanaTrade,
  fields: Readonly<Record<string, string>> = {},
): Promise<ServiceResponse> {
  const { tokenIn, tokenOut, amountIn } = trade;
  const route = {
    originChain: chain.slug,
    destinationChain: chain.slug,
    tokenIn,
    tokenOut,
    amountIn: String(amountIn),
  };
  return api.get('/v2/swap/quote', { ...route, preferredProvider: proved.provider, ...fields });
}

const partiesOf = ({ signer }: SolanaChain) => ({
  originAddress: signer.publicKey.toBase58(),
  destinationAddress: signer.publicKey.toBase58(),
});

function executableFields({ chain, proved: { output } }: SolanaProof): Readonly<Record<string, string>> {
  if (output === 'bytecode') return {};
  return output === 'instructions' ? { ...partiesOf(chain), output } : partiesOf(chain);
}

async function executableOf(
  { api, chain, proved }: SolanaProof,
  body: unknown,
  { quoteId }: ShownQuote,
): Promise<Execution> {
  if (proved.output !== 'bytecode') return execution.parse(body);
  return execution.parse(
    required(await api.post('/v2/swap/bytecode', { quoteId, ...partiesOf(chain) }), 'the bytecode'),
  );
}

/** Signs and sends the transaction, or one that is composed of the instructions. Resolves to its fee in lamports. */
function send(
  { chain, proved }: SolanaProof,
  { transactionData, instructions, lutsByAddress }: Execution,
): Promise<bigint> {
  const { connection, signer, chainId } = chain;
  if (proved.output !== 'instructions') {
    const raw = Buffer.from(rawTransactions.parse(transactionData), 'base64');
    return signAndSend(connection, signer, VersionedTransaction.deserialize(raw));
  }
  return sendProgramCall(connection, signer, {
    kind: 'instructions',
    chainId,
    from: signer.publicKey.toBase58(),
    instructions: (instructions ?? []) as readonly SolanaInstruction[],
    lookupTables: lutsByAddress ?? {},
  });
}
