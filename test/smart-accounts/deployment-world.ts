import { type Address, createPublicClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { asChain, rpcOf } from '../contract/local-swaps';
import { gasPricer, serviceTransactionStore } from '../setup/gas';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { createJsonRpc } from '../../devnet/json-rpc';
import { SERVICE_WALLET_KEY } from '../../devnet/service-wallet';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { usd } from '../setup/usd';
import { createServiceWallet, type ServiceWallet } from '../../src/rpc/service-wallet';
import { createSmartAccount, type CreateSmartAccountDeps } from '../../src/smart-accounts/create-smart-account';
import { createActionStarter } from '../../src/actions/start-action';
import { listActions } from '../../src/actions/list-actions';
import { claimDeployments } from '../../src/actions/deployments/claim-deployments';
import { deployAccount, type DeployDeps } from '../../src/actions/deployments/deploy-account';
import { readSmartAccount } from '../../src/actions/deployments/read-smart-account';
import { createDeploymentRequester } from '../../src/actions/deployments/request-deployment';

export const CHAIN = 31337;
const OPEN = { openActions: 1000, openDrafts: 1000, openDeliveries: 1000 };
const { signal } = new AbortController();
const log = { warn: () => undefined };

export const newOwner = () => privateKeyToAddress(generatePrivateKey());

/** Deployments of smart accounts on the local chains: each test has a database and a service wallet of its own. */
export function deploymentWorld() {
  let test: TestDatabase;
  let universe: TestUniverse;
  let wallet: ServiceWallet;
  beforeAll(async () => {
    universe = await universeOfTests();
  });
  beforeEach(async () => {
    test = await createTestDatabase();
    wallet = walletFor();
  });
  afterEach(() => test.drop());

  const rpc = () => rpcOf(universe.chains);
  const chains = () => createChainTable(universe.chains.map(asChain));
  const walletFor = (limits: Parameters<typeof serviceTransactionStore>[1] = {}, coinUsd = 3000) =>
    createServiceWallet({
      key: SERVICE_WALLET_KEY,
      rpc: rpc(),
      store: serviceTransactionStore(test.database, limits),
      priceGas: gasPricer(coinUsd),
      log,
    });
  const deployDeps = (changes: Partial<DeployDeps> = {}): DeployDeps => ({
    database: test.database,
    rpc: rpc(),
    chains: chains(),
    serviceWallet: wallet,
    maxGasUsd: usd('1000'),
    log,
    pollMs: 0,
    ...changes,
  });
  const accountDeps = (changes: Partial<CreateSmartAccountDeps> = {}): CreateSmartAccountDeps => ({
    database: test.database,
    rpc: rpc(),
    chains: chains(),
    blockedAddresses: new Set(),
    deployments: createDeploymentRequester({
      database: test.database,
      chains: chains(),
      ...createActionStarter({ database: test.database, limits: OPEN }),
    }),
    ...changes,
  });
  const create = (customerId: CustomerId, owner: Address, changes: Partial<CreateSmartAccountDeps> = {}) =>
    createSmartAccount(accountDeps(changes), { customerId, owner, chainId: CHAIN, signal });
  const devnet = () => createPublicClient({ transport: http(chainNamed(universe, 'devnet').rpcUrl) });

  const callNode = (method: string, parameters: readonly unknown[]): Promise<unknown> =>
    createJsonRpc(chainNamed(universe, 'devnet').rpcUrl).call(method, parameters);

  /** Carries on all open deployments, one pass after the other. */
  async function runPasses(passes: number, deps = deployDeps()): Promise<void> {
    for (let pass = 0; pass < passes; pass += 1) {
      await test.database
        .$executeRaw`UPDATE "SmartAccountDeployment" SET "nextAt" = now() - interval '1 second' WHERE "finishedAt" IS NULL`;
      for (const claimed of await claimDeployments(deps, 10)) await deployAccount(deps, claimed, signal);
      await callNode('evm_mine', []);
    }
  }

  const statusOf = (customerId: CustomerId, address: Address) =>
    readSmartAccount({ database: test.database }, { customerId, chainId: CHAIN, address });
  const sentCount = () => test.database.serviceTransaction.count();
  const actionOf = async (customerId: CustomerId, owner: Address) => {
    const { data } = await listActions(
      { database: test.database, chains: chains(), blockedAddresses: new Set() },
      { customerId, walletAddress: owner },
    );
    return data;
  };

  return {
    get universe() {
      return universe;
    },
    get database() {
      return test.database;
    },
    get wallet() {
      return wallet;
    },
    accountDeps,
    actionOf,
    callNode,
    create,
    deployDeps,
    devnet,
    runPasses,
    sentCount,
    statusOf,
    walletFor,
  };
}
