import { type Address, createWalletClient, erc20Abi, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createActionStarter } from '../../src/actions/start-action';
import type { TrackerDeps } from '../../src/actions/tracker/tracker-deps';
import type { CustomerId } from '../../src/auth/principal';
import { NATIVE_TOKEN } from '../../src/chains/addresses';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import type { RawFields } from '../../src/errors/field-reader';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { quoteDeadline } from '../../src/quotes/quote-deadline';
import { createContractKindFinder } from '../../src/rpc/contract-kind';
import { createStrategies } from '../../src/strategies/catalog/strategies';
import { createOperation } from '../../src/strategies/operations/create-operation';
import type { OperationDeps } from '../../src/strategies/operations/operation-deps';
import { type FeeReader, uniformFees } from '../../src/strategies/fees/customer-fees';
import { createStrategyRouterFinder } from '../../src/strategies/router/find-router';
import { createRangeSizes } from '../../src/strategies/positions/range-sizes';
import { createStartBlocks } from '../../src/strategies/positions/start-blocks';
import type { StrategyFees } from '../../src/strategies/strategy-fees';
import { pendingOperations } from '../../src/strategies/operations/pending-operations';
import { PROTOCOL_READERS, PROTOCOLS } from '../../src/strategies/protocols/protocols';
import type { CallItem } from '../../src/transactions/execution/transaction-item';
import { createUniswapV2Provider } from '../../src/venues/providers/uniswap-v2/uniswap-v2';
import { createUniswapV3Provider } from '../../src/venues/providers/uniswap-v3/uniswap-v3';
import { createWrapProvider } from '../../src/venues/providers/wrap/wrap';
import { createQuoteRequester } from '../../src/venues/request-provider-quote';
import { trackerOf, trackUntil } from '../actions/local-tracker';
import { localPools } from '../contract/local-pools';
import { asChain, localToken, rpcOf } from '../contract/local-swaps';
import { OPEN_LIMITS } from '../setup/open-limits';
import { minedReceipt } from '../setup/mined-receipt';
import { createTestDatabase } from '../setup/test-database';
import { chainNamed, universeOfTests } from '../setup/universe-of-tests';
import { fakeOutputs } from '../swaps/fake-outputs';
import { quoteDeps, rejection, silent } from '../swaps/swap-world';

/** Long, so that every venue responds in it. */
const BUDGET_MS = 60_000;
/** Index of the account that deposits. */
const DEPOSITOR = 5;

export interface DeskOptions {
  /** Whether the chain has the router of strategies; by default it has none. */
  readonly isRouted?: boolean;
}

/** A customer who lends tokens on the local chain, with a real database. */
export async function openOperationDesk({ isRouted = false }: DeskOptions = {}) {
  const [universe, world] = [await universeOfTests(), await createTestDatabase()];
  const customerId = uuidV7() as CustomerId;
  await world.database.customer.create({ data: { id: customerId, name: 'one' } });
  const rpc = rpcOf(universe.chains);
  const devnet = chainNamed(universe, 'devnet');
  const chain = asChain(devnet);
  const chains = createChainTable([...KNOWN_CHAINS, chain]);
  const rows = universe.strategies.filter(({ chainId }) => chainId === devnet.chainId);
  const strategies = createStrategies({ rpc, log: silent, rows, chains, protocols: PROTOCOL_READERS });
  strategies.start();
  await strategies.firstPass(devnet.chainId);
  const pools = localPools(rpc);
  const account = universe.accounts[DEPOSITOR]!;
  const wallet = account.address;

  const deps: OperationDeps = {
    ...quoteDeps({
      chains,
      isServed: ({ chainId }) => rpc.serves(chainId),
      tokens: {
        find: (_, address) => Promise.resolve(knownToken(address)),
      },
      providers: [createUniswapV2Provider(pools), createUniswapV3Provider(pools), createWrapProvider({ rpc })],
      budgetMs: BUDGET_MS,
      requestProviderQuote: createQuoteRequester({ budgetMs: BUDGET_MS, log: silent }),
      quoteDeadline: quoteDeadline(world.pool),
      findContractKind: createContractKindFinder({ rpc }),
    }),
    ...fakeOutputs(),
    ...createActionStarter({ database: world.database, limits: OPEN_LIMITS }),
    rpc,
    database: world.database,
    strategies,
    protocols: PROTOCOLS,
    stocks: undefined,
    findRouter: isRouted
      ? createStrategyRouterFinder({ rpc, log: { ...silent, info: () => undefined } })
      : () => Promise.resolve(undefined),
    readFees: charging({ entryBps: 0, performanceBps: 0, markupBps: 0, collector: undefined, marks: [] }),
    positions: {
      database: world.database,
      pool: world.pool,
      chains,
      rpc,
      strategies,
      protocols: PROTOCOLS,
      prices: { read: (tokens) => Promise.resolve(tokens.map(() => ({ missing: 'NO_SOURCE' }))) },
      rangeSizes: createRangeSizes(),
      startBlocks: createStartBlocks({ rpc }),
      log: { warn: () => undefined, error: () => undefined },
      walkTimeoutMs: 20_000,
    },
    actionExpirySeconds: 86_400,
  };

  function knownToken(address: string) {
    const { chainId } = devnet;
    if (address === NATIVE_TOKEN) return localToken(devnet, 'ETH');
    const listed = devnet.tokens.find((token) => token.address === address);
    return listed === undefined ? undefined : { logoURI: undefined, ...listed, chainId };
  }

  const operate = (strategyId: string, fields: RawFields, changes: Partial<OperationDeps> = {}) =>
    createOperation(
      { ...deps, ...changes },
      { customerId, strategyId, fields: { wallet, ...fields }, signal: AbortSignal.timeout(60_000) },
    );

  const reader = rpc.client(devnet.chainId);
  const signer = createWalletClient({
    account: privateKeyToAccount(account.privateKey),
    transport: http(devnet.rpcUrl),
    pollingInterval: 10,
  }).extend(publicActions);

  /** Signs and sends calls one after the other. Resolves to the statuses of their transactions. */
  async function send(calls: readonly CallItem[]): Promise<readonly string[]> {
    const statuses: string[] = [];
    for (const { to, data, value } of calls) {
      const transaction = { to: to as Hex, data, value: BigInt(value), gas: 3_000_000n, chain: null };
      const hash = await signer.sendTransaction(transaction);
      statuses.push((await minedReceipt(signer, hash)).status);
    }
    return statuses;
  }

  const tracker: TrackerDeps = trackerOf(world.database, chain, devnet.rpcUrl);
  return {
    universe,
    world,
    rpc,
    devnet,
    chain,
    deps,
    customerId,
    wallet,
    strategies,
    tracker,
    operate,
    send,
    token: (symbol: string) => localToken(devnet, symbol).address,
    balanceOf: (token: string, owner: string = wallet) =>
      reader.readContract({
        address: token as Address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner as Address],
      }),
    totalSupply: (token: string) =>
      reader.readContract({ address: token as Address, abi: erc20Abi, functionName: 'totalSupply' }),
    pending: (strategyId: string, by: CustomerId = customerId, changes: Partial<OperationDeps> = {}) =>
      pendingOperations({ ...deps, ...changes, database: world.database }, { customerId: by, strategyId, wallet }),
    /** Signs and sends the transactions of an operation, and tracks it to its end. */
    async execute(strategyId: string, fields: RawFields, changes: Partial<OperationDeps> = {}) {
      const operation = await operate(strategyId, fields, changes);
      const statuses = await send(operation.bytecode);
      expect(statuses.filter((status) => status !== 'success')).toEqual([]);
      await trackUntil(tracker, { actionId: operation.id, chainId: devnet.chainId, status: 'SUCCESS' });
      return { operation, action: await readAction(operation.id) };
    },
    readAction,
    async close() {
      await strategies.stop();
      await world.drop();
    },
  };

  async function readAction(id: string) {
    const include = { steps: { orderBy: { stepIndex: 'asc' as const } }, calls: true };
    const { amountIn, amountOut, ...action } = await world.database.action.findUniqueOrThrow({
      where: { id },
      include,
    });
    return { ...action, amountIn: BigInt(amountIn.toFixed()), amountOut: BigInt(amountOut.toFixed()) };
  }
}

/** The same fees for every customer and strategy. */
export const charging =
  (fees: StrategyFees): FeeReader =>
  () =>
    Promise.resolve(uniformFees(fees));

export type OperationDesk = Awaited<ReturnType<typeof openOperationDesk>>;

/** Code, kind of problem and largest amount of the error that an operation is refused with. */
export async function problemOf(operating: Promise<unknown>) {
  const error = (await rejection(operating)) as { code: string; details?: { kind?: string; maximum?: string } };
  return [error.code, error.details?.kind, error.details?.maximum] as const;
}
