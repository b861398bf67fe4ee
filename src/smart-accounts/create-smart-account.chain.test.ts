import { SafeSmartAccount } from 'permissionless/accounts/safe';
import { type Address, createPublicClient, createWalletClient, http, publicActions } from 'viem';
import { entryPoint07Address } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { newCustomer } from '../../test/actions/sample-action';
import { asChain, rpcOf } from '../../test/contract/local-swaps';
import { minedReceipt } from '../../test/setup/mined-receipt';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../../test/setup/universe-of-tests';
import { putCode } from '../../test/smart-accounts/local-operations';
import { createChainTable } from '../chains/chain-table';
import { SOLANA_CHAIN_ID } from '../chains/chain';
import { isServiceError } from '../errors/service-error';
import {
  type CreateSmartAccountParameters,
  createSmartAccount,
  type CreateSmartAccountDeps,
} from './create-smart-account';
import { deriveSafeAccount } from './safe-account';
import { ENTRY_POINT, SAFE } from './safe-contracts';
import { findSmartAccount } from './smart-account';

let test: TestDatabase;
let universe: TestUniverse;
let deps: CreateSmartAccountDeps;
beforeAll(async () => {
  [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
  deps = depsOf();
});
afterAll(() => test.drop());

const depsOf = (overrides: Partial<CreateSmartAccountDeps> = {}): CreateSmartAccountDeps => ({
  database: test.database,
  rpc: rpcOf(universe.chains),
  chains: createChainTable(universe.chains.map(asChain)),
  blockedAddresses: new Set(),
  ...overrides,
});
const someOwner = (): Address => privateKeyToAccount(generatePrivateKey()).address;
const create = (account: Partial<CreateSmartAccountParameters>, using = deps) =>
  createSmartAccount(using, {
    customerId: newCustomer(),
    owner: someOwner(),
    chainId: 31337,
    signal: AbortSignal.timeout(5000),
    ...account,
  });

async function refusal(promise: Promise<unknown>): Promise<{ code: string; paths: string[] }> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (!isServiceError(error)) throw new Error('it was not refused');
  const { errors = [] } = (error.details ?? {}) as { errors?: { path: string }[] };
  return { code: error.code, paths: errors.map(({ path: field }) => field) };
}

describe('a smart account', () => {
  it('has the address that permissionless.js derives, and the factory deploys it there', async () => {
    const owner = privateKeyToAccount(generatePrivateKey());
    const { address } = await create({ owner: owner.address });
    for (const { rpcUrl } of universe.chains) {
      const client = createPublicClient({ transport: http(rpcUrl) });
      const known = await SafeSmartAccount.toSafeSmartAccount({
        client,
        owners: [owner],
        version: '1.4.1',
        saltNonce: 0n,
        useMultiSendForSetup: false,
        entryPoint: { address: entryPoint07Address, version: '0.7' },
        safeSingletonAddress: '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
      });
      expect(known.address).toBe(address);
      const { factory, factoryData } = await deriveSafeAccount(owner.address);
      expect(await known.getFactoryArgs()).toEqual({ factory, factoryData });
      const wallet = createWalletClient({
        account: privateKeyToAccount(universe.accounts[4]!.privateKey),
        transport: http(rpcUrl),
      }).extend(publicActions);
      expect(await client.getCode({ address })).toBeUndefined();
      const hash = await wallet.sendTransaction({ chain: null, to: factory, data: factoryData, gas: 1_000_000n });
      await minedReceipt(wallet, hash);
      expect(await client.getCode({ address })).toMatch(/^0x[0-9a-f]+$/);
    }
  });

  it('is the same for concurrent calls, and a wallet of the customer', async () => {
    const customerId = newCustomer();
    const owner = someOwner();
    const spellings = [owner, owner.toLowerCase(), `0x${owner.slice(2).toUpperCase()}`];
    const accounts = await Promise.all([...spellings, ...spellings].map((each) => create({ customerId, owner: each })));
    expect(new Set(accounts.map(({ address }) => address)).size).toBe(1);
    expect(accounts[0]).toEqual({ address: accounts[0]!.address, owner, chainId: 31337 });
    expect(await test.database.smartAccount.count({ where: { customerId } })).toBe(1);
    const wallets = await test.database.customerWallet.findMany({ where: { customerId } });
    expect(wallets.map(({ address }) => address)).toEqual([accounts[0]!.address]);
  });

  it('has one address on all chains, and is found only on chains where its customer created it', async () => {
    const [customerId, other, owner] = [newCustomer(), newCustomer(), someOwner()];
    const { address } = await create({ customerId, owner });
    expect(await findSmartAccount(deps, { customerId, chainId: 31337, address })).toMatchObject({ owner });
    expect(await findSmartAccount(deps, { customerId, chainId: 31338, address })).toBeUndefined();
    expect(await findSmartAccount(deps, { customerId: other, chainId: 31337, address })).toBeUndefined();
    expect(await create({ customerId, owner, chainId: 31338 })).toEqual({ address, owner, chainId: 31338 });
    expect((await create({ customerId: other, owner })).address).toBe(address);
  });

  it('is refused with all problems at once', async () => {
    expect(await refusal(create({ owner: '0x123', chainId: 987 }))).toEqual({
      code: 'VALIDATION_ERROR',
      paths: ['owner', 'chainId'],
    });
    const wrongCase = '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    for (const owner of [
      wrongCase,
      `0x${'0'.repeat(40)}`,
      `0x${'0'.repeat(39)}1`,
      'So11111111111111111111111111111111111111112',
    ]) {
      expect(await refusal(create({ owner }))).toEqual({ code: 'VALIDATION_ERROR', paths: ['owner'] });
    }
  });

  it('is refused on non-EVM chains, unsupported chains, and chains without Safe', async () => {
    const solana = { ...asChain(universe.chains[0]!), slug: 'sol', chainId: SOLANA_CHAIN_ID, kind: 'solana' } as const;
    const unserved = { ...asChain(universe.chains[0]!), slug: 'unserved', chainId: 31340 };
    const chains = createChainTable([...universe.chains.map(asChain), solana, unserved]);
    for (const chainId of [SOLANA_CHAIN_ID, 31340]) {
      expect(await refusal(create({ chainId }, depsOf({ chains })))).toEqual({
        code: 'VALIDATION_ERROR',
        paths: ['chainId'],
      });
    }
    const chain = chainNamed(universe, 'devnet-l2');
    for (const contract of [SAFE.singleton, SAFE.proxyFactory, SAFE.module4337, ENTRY_POINT]) {
      const goBack = await snapshotOf(chain);
      await putCode(chain, contract, '0x');
      const refused = await refusal(create({ chainId: chain.chainId })).finally(goBack);
      expect(refused).toEqual({ code: 'VALIDATION_ERROR', paths: ['chainId'] });
    }
  });

  it('is refused for a blocked owner and for a blocked account', async () => {
    const owner = someOwner();
    const { address } = await deriveSafeAccount(owner);
    for (const blocked of [owner.toLowerCase(), address]) {
      const blocking = depsOf({ blockedAddresses: new Set([blocked]) });
      expect((await refusal(create({ owner }, blocking))).code).toBe('FORBIDDEN');
    }
  });

  it('is returned while its chain is unavailable if it exists; a new one is not created', async () => {
    const [customerId, owner] = [newCustomer(), someOwner()];
    const known = await create({ customerId, owner });
    const offline = depsOf({ rpc: rpcOf(universe.chains, { devnet: 'http://127.0.0.1:1' }) });
    expect(await create({ customerId, owner }, offline)).toEqual(known);
    expect((await refusal(create({ customerId }, offline))).code).toBe('PROVIDER_UNAVAILABLE');
  });
});

describe('the owner of a smart account', () => {
  it('must not be a contract', async () => {
    const refused = create({ owner: SAFE.proxyFactory });
    await expect(refused).rejects.toThrow('EIP-1271');
    expect(await refusal(refused)).toEqual({ code: 'VALIDATION_ERROR', paths: ['owner'] });
  });

  it('may be a wallet that delegates to a contract, because its key still signs', async () => {
    const owner = someOwner();
    await putCode(chainNamed(universe, 'devnet'), owner, `0xef0100${SAFE.singleton.slice(2)}`);
    expect(await create({ owner })).toMatchObject({ owner });
  });
});
