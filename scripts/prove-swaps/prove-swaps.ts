import { type Address, type Hex, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { setTimeout as wait } from 'node:timers/promises';
import { invariant } from '../../src/errors/invariant-error';
import { createRandom, type Random } from '../../test/federation/fuzz/random';
import { customerNamed, type RunningService } from '../../test/setup/running-service';
import { type Arbitrage, endow, startArbitrage } from './arbitrage';
import { checkAction } from './check-figures';
import { createKeyWallet, createSmartWallet, type EvmOutput, type EvmWallet } from './evm-wallet';
import { proveEvmTrade } from './evm-proof';
import { openPoolChain, type PoolChain, readPools } from './pools';
import type { ProvedSwap } from './proved-swap';
import { createServiceClient, type ServiceClient } from './service-client';
import { openSolanaChain, proveSolanaTrade, type SolanaChain } from './solana-proof';
import { type EvmSwapCase, evmTrade, MIN_CASES, type SwapCase, swapCase } from './swap-cases';
import { actionSchema } from './wire-schemas';

export interface ProofOptions {
  /** Number of swaps to execute. Every provider and every output has at least one. */
  readonly count: number;
  readonly seed: number;
}

/** All executed swaps, and a sentence with the case for each wrong figure. */
export interface ProofResult {
  readonly swaps: readonly ProvedSwap[];
  readonly failures: readonly string[];
}

/** Executes random swaps through a running embedded service, one after the other, and proves their figures. */
export async function proveSwaps(service: RunningService, { count, seed }: ProofOptions): Promise<ProofResult> {
  const bench = await openBench(service, seed);
  const swaps: ProvedSwap[] = [];
  const failures: string[] = [];
  const cases = new Map<ProvedSwap, string>();
  for (let index = 0; swaps.length < count || index < MIN_CASES; index++) {
    // A generator for each case: a changed case does not change the ones after it.
    const random = createRandom(seed + index * 7919);
    const proved = swapCase(index, random);
    const name = `seed ${String(seed)}, case ${String(index)}: ${proved.provider} as ${proved.output}`;
    const { executed, text, failure } = await proveCase(bench, proved, random);
    if (failure !== undefined) failures.push(`${name}, ${text}: ${failure}`);
    for (const swap of executed) {
      swaps.push(swap);
      cases.set(swap, `${name}, ${text}, ${swap.kind}`);
    }
    if (failure !== undefined && executed.length === 0 && failures.length > MAX_FAILURES) break;
  }
  for (const [swap, name] of cases) {
    const problems = [...swap.problems, ...checkAction(await endedAction(bench.api, swap.actionId), swap)];
    failures.push(...problems.map((problem) => `${name}: ${problem}`));
  }
  return { swaps, failures };
}

/** A run ends early when this many cases could not be executed. */
const MAX_FAILURES = 20;

/** What all cases share. */
interface Bench {
  readonly api: ServiceClient;
  readonly evm: readonly EvmBench[];
  readonly solana: SolanaChain;
}

interface EvmBench {
  readonly chain: PoolChain;
  readonly arbitrage: Arbitrage;
  readonly wallet: (output: EvmOutput) => EvmWallet;
}

async function openBench(service: RunningService, seed: number): Promise<Bench> {
  const { apiKey } = customerNamed(service, 'load');
  const api = createServiceClient({ baseUrl: service.baseUrl, apiKey });
  const chains = service.chains.filter(({ slug }) => slug.startsWith('devnet'));
  const evm = await Promise.all(chains.map((chain) => openEvmBench(api, chain, seed)));
  return { api, evm, solana: openSolanaChain(service) };
}

async function openEvmBench(
  api: ServiceClient,
  description: RunningService['chains'][number],
  seed: number,
): Promise<EvmBench> {
  const chain = await openPoolChain(description);
  const keyOf = (role: string): Hex => keccak256(toHex(`${String(seed)} ${role}`));
  const [key, bundlerKey] = [keyOf('customer'), keyOf('bundler')];
  const owner = privateKeyToAccount(key).address;
  const created = await api.post('/smart-account', { owner, chainId: description.chainId });
  const { address } = z.object({ address: z.string() }).parse(created.body);
  const arbitrage = await startArbitrage(chain, keyOf('arbitrage'));
  const account = address as Address;
  for (const each of [owner, privateKeyToAccount(bundlerKey).address, account]) await endow(chain, each);
  return {
    chain,
    arbitrage,
    wallet: (output) =>
      output === 'userOperation'
        ? createSmartWallet({ chain, key }, { address: account, bundlerKey })
        : createKeyWallet({ chain, key, output }),
  };
}

interface ProvedCase {
  readonly executed: readonly ProvedSwap[];
  readonly text: string;
  readonly failure: string | undefined;
}

async function proveCase(bench: Bench, proved: SwapCase, random: Random): Promise<ProvedCase> {
  const { api, solana: chain } = bench;
  if (proved.kind === 'evm') return proveEvmCase(bench, proved, random);
  const text = `${String(proved.shareBps / 100)} % of the depth`;
  return withFailure(text, async () => [await proveSolanaTrade({ api, chain, proved, random })]);
}

async function proveEvmCase({ api, evm }: Bench, proved: EvmSwapCase, random: Random): Promise<ProvedCase> {
  const { chain, arbitrage, wallet } = random.chance(0.75) ? first(evm) : random.pick(evm);
  const pools = [...(await readPools(chain)).values()];
  const trade = evmTrade(proved, { chain, pools, random });
  return withFailure(trade.text, () =>
    proveEvmTrade({ api, chain, arbitrage, wallet: wallet(proved.output), proved, trade }),
  );
}

function first(benches: readonly EvmBench[]): EvmBench {
  const [bench] = benches;
  invariant(bench, 'the service has no EVM chain');
  return bench;
}

async function withFailure(text: string, prove: () => Promise<readonly ProvedSwap[]>): Promise<ProvedCase> {
  try {
    return { text, executed: await prove(), failure: undefined };
  } catch (error) {
    return { text, executed: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

const POLL_MS = 100;
const TIMEOUT_MS = 30_000;

/** The action, once it has ended. */
async function endedAction(api: ServiceClient, id: string) {
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    const { body } = await api.get(`/actions/${id}`);
    const action = actionSchema.parse(body);
    if (!['INITIAL', 'PENDING'].includes(action.status) || Date.now() > end) return action;
    await wait(POLL_MS);
  }
}
