import { isNativeToken } from '../../src/chains/addresses';
import { invariant } from '../../src/errors/invariant-error';
import type { Arbitrage } from './arbitrage';
import { type ExecutedQuote, checkFigures } from './check-figures';
import type { EvmWallet } from './evm-wallet';
import { type PoolChain, readPools } from './pools';
import type { ProvedSwap } from './proved-swap';
import type { Refusal, ServiceClient, ServiceResponse } from './service-client';
import type { EvmSwapCase, EvmTrade } from './swap-cases';
import { type Execution, execution, quoteResponse, type ShownQuote } from './wire-schemas';

export interface EvmProof {
  readonly api: ServiceClient;
  readonly chain: PoolChain;
  readonly wallet: EvmWallet;
  readonly arbitrage: Arbitrage;
  readonly proved: EvmSwapCase;
  readonly trade: EvmTrade;
}

/** Bound of the embedded service, in basis points. */
const MAX_IMPACT_BPS = 1500;
const NO_BOUND = '10000';
const MAX_DEVIATION_BPS = 5;

/**
 * Proves one trade. Within the bound it is executed. Above it, the service must refuse it and name a maximum, which is executed
 * in its place, and then the original amount is executed without the bound, unless its pools cannot fill it.
 */
export async function proveEvmTrade(proof: EvmProof): Promise<readonly ProvedSwap[]> {
  const { amountIn } = proof.trade;
  const first = await requestQuote(proof, amountIn);
  if (first.refusal === undefined) {
    const swap = await execute(proof, first.body, 'within the bound');
    return [withProblem(swap, exceedsBound(swap), 'its impact is above the bound, and was not refused')];
  }
  const maximum = maximumOf(first.refusal, amountIn);
  const largest = await requestQuote(proof, maximum);
  if (largest.refusal !== undefined) return refused(`the maximum ${String(maximum)} is refused`, largest.refusal);
  const swap = await execute(proof, largest.body, 'maximum');
  const checked = withProblem(swap, exceedsBound(swap), 'the impact of the maximum is above the bound');
  return [checked, await proveWithoutBound(proof, first.refusal)];
}

const exceedsBound = ({ quote }: ProvedSwap): boolean => (quote.priceImpactBps ?? 0) > MAX_IMPACT_BPS;

const withProblem = (swap: ProvedSwap, isWrong: boolean, problem: string): ProvedSwap =>
  isWrong ? { ...swap, problems: [...swap.problems, problem] } : swap;

function refused(what: string, { code, message }: Refusal): never {
  throw new Refused(`${what}: ${code}: ${message}`);
}

/** A request that the service must not refuse. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The maximum that AMOUNT_IN_TOO_HIGH names. @throws Refused for any other error */
function maximumOf(refusal: Refusal, amountIn: bigint): bigint {
  const { maximum } = refusal.details ?? {};
  if (refusal.code !== 'AMOUNT_IN_TOO_HIGH' || typeof maximum !== 'string')
    return refused('the trade is refused', refusal);
  if (BigInt(maximum) >= amountIn || BigInt(maximum) <= 0n) return refused(`the maximum is ${maximum}`, refusal);
  return BigInt(maximum);
}

/** Sells the refused amount without a bound, or the capacity of its pools when they cannot fill it. */
async function proveWithoutBound(proof: EvmProof, { details }: Refusal): Promise<ProvedSwap> {
  const { amountIn } = proof.trade;
  const whole = await requestQuote(proof, amountIn, NO_BOUND);
  if (whole.refusal === undefined) {
    const swap = await execute(proof, whole.body, 'without bound');
    const named = details?.['priceImpactBps'];
    const isWrong =
      typeof named === 'number' && Math.abs(named - (swap.quote.priceImpactBps ?? NaN)) > MAX_DEVIATION_BPS;
    return withProblem(swap, isWrong, `the refusal named an impact of ${String(named)} bps`);
  }
  const capacity = maximumOf(whole.refusal, amountIn);
  if (proof.proved.shareBps < 10_000) return refused('pools that can fill the trade refuse it', whole.refusal);
  const filled = await requestQuote(proof, capacity, NO_BOUND);
  if (filled.refusal !== undefined) return refused(`the capacity ${String(capacity)} is refused`, filled.refusal);
  return execute(proof, filled.body, 'capacity');
}

function requestQuote(
  { api, chain, wallet, proved, trade }: EvmProof,
  amountIn: bigint,
  bound?: string,
): Promise<ServiceResponse> {
  return api.get('/v2/swap/quote', {
    originChain: chain.slug,
    destinationChain: chain.slug,
    tokenIn: trade.tokenIn,
    tokenOut: trade.tokenOut,
    amountIn: String(amountIn),
    preferredProvider: proved.provider,
    ...(bound === undefined ? {} : { maxPriceImpactBps: bound }),
    ...(proved.output === 'bytecode' ? {} : { originAddress: wallet.address, destinationAddress: wallet.address }),
    ...outputOf(proved),
  });
}

const outputOf = ({ output }: EvmSwapCase): Readonly<Record<string, string>> => {
  if (output === 'custody') return { output, accountId: '7' };
  return output === 'userOperation' ? { output } : {};
};

/** Signs and sends a quoted swap, and compares its figures. The pools return to their prices afterwards. */
async function execute(proof: EvmProof, body: unknown, kind: ProvedSwap['kind']): Promise<ProvedSwap> {
  const { chain, wallet, arbitrage, proved } = proof;
  const { quote } = quoteResponse.parse(body);
  const executable = await executableOf(proof, body, quote);
  const balances = () => Promise.all([quote.tokenIn, quote.tokenOut].map(({ contract }) => wallet.balanceOf(contract)));
  const [inBefore = 0n, outBefore = 0n] = await balances();
  const { blockNumber, gas } = await wallet.send(executable);
  const [inAfter = 0n, outAfter = 0n] = await balances();
  const gasOf = (contract: string): bigint => (isNativeToken(contract) ? gas : 0n);
  const executed: ExecutedQuote = {
    chain,
    quote,
    spent: inBefore - inAfter - gasOf(quote.tokenIn.contract),
    received: outAfter - outBefore + gasOf(quote.tokenOut.contract),
    before: await readPools(chain, blockNumber - 1n),
    after: await readPools(chain, blockNumber),
  };
  await arbitrage.restore();
  const { spent, received } = executed;
  return { ...checkFigures(executed), kind, proved, quote, spent, received, actionId: executable.id };
}

async function executableOf(
  { api, wallet, proved }: EvmProof,
  body: unknown,
  { quoteId, provider, simulation }: ShownQuote,
): Promise<Execution> {
  invariant(provider === proved.provider, `the quote is of ${provider}`);
  const { status, reason } = simulation ?? { status: 'SUCCESS' };
  invariant(status === 'SUCCESS', `the simulation is ${status}: ${reason ?? ''}`);
  if (proved.output !== 'bytecode') return execution.parse(body);
  const parties = { originAddress: wallet.address, destinationAddress: wallet.address };
  const response = await api.post('/v2/swap/bytecode', { quoteId, ...parties });
  return response.refusal === undefined
    ? execution.parse(response.body)
    : refused('the bytecode is refused', response.refusal);
}
