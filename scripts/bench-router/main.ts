import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { createJsonRpc } from '../../devnet/json-rpc';
import { POOLS } from '../../devnet/liquidity';
import { startUniverse, type Universe } from '../../devnet/universe';
import { InvariantError } from '../../src/errors/invariant-error';
import { createAfluenteProvider } from '../../src/venues/providers/afluente/afluente';
import { createSwapRouterReader } from '../../src/venues/providers/afluente/router-deployment';
import type { QuoteRequest } from '../../src/venues/quote-provider';
import { createPoolSnapshots } from '../../src/pools/pool-snapshots';
import { createPoolDirectory } from '../../src/pools/pool-directory';
import { createTransferProbe } from '../../src/pools/transfer-probe';
import { executeLocally, rpcOf } from '../../test/contract/local-swaps';
import { type Measured, measure, nameOf } from './measure';
import { randomTrades } from './random-trades';
import { netGainBps, report } from './report';

const TRADES = 1000;
/** Warm-up trades, until the code is compiled. */
const WARM_UP = 50;
/** Every so-manieth trade is executed. */
const EXECUTED_EVERY = 25;
const FEE_PER_GAS = 5_000_000_000n;

/** Compares the routes of the service with the best single path, on its own local chains. */
async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-bench-'));
  const universe = await startUniverse({ dataDirectory: directory, log: console.error });
  try {
    await bench(universe);
  } finally {
    await universe.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function bench(universe: Universe): Promise<void> {
  const [chain] = universe.chains;
  const [account] = universe.accounts;
  if (chain === undefined || account === undefined) throw new InvariantError('there is no local chain');
  const rpc = rpcOf([chain]);
  const pools = createPoolDirectory({ rpc });
  const snapshots = createPoolSnapshots({ rpc });
  const under = { chain, pools, snapshots, readRouter: createSwapRouterReader({ rpc }), feePerGas: FEE_PER_GAS };
  const trades = randomTrades(chain, { count: TRADES, wallet: account.address });
  for (const trade of trades.slice(0, WARM_UP)) await measure(under, trade);
  const measured: Measured[] = [];
  for (const trade of trades) measured.push(await measure(under, trade));
  const poolCount = POOLS[chain.slug].length;
  console.log(`${TRADES} trades, ${poolCount} pools, gas at 5 gwei, ${cpus().length} cores, Node ${process.version}\n`);
  console.log(`${report(measured)}\n`);
  const worse = measured.filter((each) => netGainBps(each) < 0);
  for (const { request } of worse) console.error(`${nameOf(request)}: worse than a single path`);
  const sample = trades.filter((_, index) => index % EXECUTED_EVERY === 0);
  const failed = await executeAll({ rpc, pools, snapshots, universe }, sample);
  console.log(`${sample.length - failed} of ${sample.length} executed trades paid the quoted amount, to the wei.`);
  if (worse.length > 0 || failed > 0) process.exitCode = 1;
}

interface Execution {
  readonly rpc: ReturnType<typeof rpcOf>;
  readonly pools: ReturnType<typeof createPoolDirectory>;
  readonly snapshots: ReturnType<typeof createPoolSnapshots>;
  readonly universe: Universe;
}

/** Counts the trades whose execution differs from their quote. The chain is reset after each. */
async function executeAll(
  { rpc, pools, snapshots, universe }: Execution,
  trades: readonly QuoteRequest[],
): Promise<number> {
  const [chain] = universe.chains;
  const [account] = universe.accounts;
  if (chain === undefined || account === undefined) throw new InvariantError('there is no local chain');
  const provider = createAfluenteProvider({ rpc, pools, snapshots, probe: createTransferProbe({ rpc }) });
  const node = createJsonRpc(chain.rpcUrl);
  let failed = 0;
  for (const request of trades) {
    const snapshot = await node.call('evm_snapshot');
    const quote = await provider.quote(request, AbortSignal.timeout(10_000));
    if (quote === undefined) throw new InvariantError(`no quote for ${nameOf(request)}`);
    const deadline = Math.floor(Date.now() / 1000) + 3600;
    const parties = { sender: account.address, recipient: account.address };
    const done = await executeLocally({ chain, account, provider }, { request, quote, ...parties, deadline });
    await node.call('evm_revert', [snapshot]);
    const isAsQuoted = done.spent === quote.amountIn && done.received === quote.expectedAmountOut;
    if (isAsQuoted && done.gasUsed <= quote.gasLimit) continue;
    console.error(`${nameOf(request)}: quoted ${String(quote.expectedAmountOut)}, got ${String(done.received)}`);
    failed += 1;
  }
  return failed;
}

void main();
