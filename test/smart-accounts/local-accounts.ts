import { type Address, encodeFunctionData, erc20Abi, type LocalAccount, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { ACCOUNT_ABSTRACTION_KEYS } from '../../devnet/account-abstraction/account-abstraction-contracts';
import type { DevnetChain } from '../../devnet/universe';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import type { ProviderQuote, UnsignedCall } from '../../src/venues/quote-provider';
import { createUniswapV3Provider } from '../../src/venues/providers/uniswap-v3/uniswap-v3';
import type { Rpc } from '../../src/rpc/rpc';
import { isServiceError } from '../../src/errors/service-error';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { createSmartAccount } from '../../src/smart-accounts/create-smart-account';
import { approveCall } from '../../src/transactions/execution/calls/approvals';
import { createPaymasterSigner } from '../../src/transactions/execution/user-operation/paymaster';
import { createSponsoredGasTaker } from '../../src/transactions/execution/user-operation/sponsored-gas';
import type { UserOperationRequest } from '../../src/transactions/execution/output-builders';
import {
  createSafeOperationBuilder,
  type SafeOperationDeps,
} from '../../src/transactions/execution/user-operation/build-safe-operation';
import { asChain, builtCall, localRequest, localToken, rpcOf } from '../contract/local-swaps';
import { gasBudgets, gasPricer } from '../setup/gas';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { chainNamed, universeOfTests } from '../setup/universe-of-tests';
import { newCustomer } from '../actions/sample-action';
import { fund, type LocalWallet, walletOn } from './local-operations';
import { localPools } from '../contract/local-pools';

/** A customer with smart accounts on a local chain. */
export interface AccountWorld {
  readonly database: TestDatabase['database'];
  readonly chain: DevnetChain;
  readonly rpc: Rpc;
  /** Holds all tokens, and bundles operations. */
  readonly wallet: LocalWallet;
  readonly customerId: CustomerId;
}

export const accountWorld = (
  { database }: TestDatabase,
  parts: Pick<AccountWorld, 'chain' | 'wallet'>,
): AccountWorld => ({ ...parts, database, rpc: rpcOf([parts.chain]), customerId: newCustomer() });

/** A world on the first local chain with a database of its own. `account`: number of the account that pays for its gas. */
export async function openAccountWorld(
  account: number,
): Promise<{ readonly test: TestDatabase; readonly world: AccountWorld }> {
  const [test, universe] = await Promise.all([createTestDatabase(), universeOfTests()]);
  const chain = chainNamed(universe, 'devnet');
  return { test, world: accountWorld(test, { chain, wallet: walletOn(chain, universe.accounts[account]!) }) };
}

export interface LocalSmartAccount {
  readonly address: Address;
  readonly owner: LocalAccount;
}

/** Creates an account that is not deployed yet, with balances by symbol. */
export async function newUndeployedAccount(
  world: AccountWorld,
  holdings: Readonly<Record<string, bigint>> = {},
): Promise<LocalSmartAccount> {
  const { chain, customerId } = world;
  const owner = privateKeyToAccount(generatePrivateKey());
  const deps = { ...world, chains: createChainTable([asChain(chain)]), blockedAddresses: new Set<string>() };
  const { address } = await createSmartAccount(deps, {
    customerId,
    owner: owner.address,
    chainId: chain.chainId,
    signal: AbortSignal.timeout(60_000),
  });
  for (const [symbol, amount] of Object.entries(holdings)) await fund(world, { account: address, symbol, amount });
  return { address, owner };
}

/** Enough native coin for the gas of several operations. */
export const GAS_MONEY = parseEther('1');

export const PAYMASTER_SIGNER = createPaymasterSigner(ACCOUNT_ABSTRACTION_KEYS.paymasterSigner);

/** Counts sponsored gas, at 3000 US dollars for a coin by default. */
export const sponsoredGas = (
  { database }: Pick<AccountWorld, 'database'>,
  { coinUsd, ...limits }: { readonly sponsoredGasUsd?: number; readonly coinUsd?: number } = {},
) => createSponsoredGasTaker({ database, gasBudgets: gasBudgets(limits), priceGas: gasPricer(coinUsd) });

/** Builds an operation for an account of the world's customer, like the service. */
export function buildAccountOperation(
  world: AccountWorld,
  request: Pick<UserOperationRequest, 'account' | 'calls'> & Partial<UserOperationRequest>,
  overrides: Partial<SafeOperationDeps> = {},
) {
  const builder = createSafeOperationBuilder({
    ...world,
    takeSponsoredGas: sponsoredGas(world),
    paymasterSigner: PAYMASTER_SIGNER,
    ...overrides,
  });
  return builder.buildUserOperation({
    customerId: world.customerId,
    chain: asChain(world.chain),
    sponsored: false,
    actionId: uuidV7(),
    deadline: undefined,
    signal: AbortSignal.timeout(60_000),
    ...request,
  });
}

export interface AccountSwap {
  readonly account: Address;
  readonly pair: readonly [tokenIn: string, tokenOut: string];
  readonly amount: bigint;
  readonly recipient?: Address;
}

/** Approval and swap of a quote on Uniswap V3, as calls of an account. */
export async function quoteAccountSwap(
  { chain, rpc }: AccountWorld,
  { account, pair, amount, recipient = account }: AccountSwap,
): Promise<{ readonly quote: ProviderQuote; readonly calls: readonly [approval: UnsignedCall, swap: UnsignedCall] }> {
  const deps = localPools(rpc);
  const provider = createUniswapV3Provider(deps);
  const request = localRequest({ chain, pair, amount, sender: account, recipient });
  const quote = await provider.quote(request, AbortSignal.timeout(60_000));
  if (quote === undefined) throw new Error(`no quote for ${pair.join(' to ')}`);
  const deadline = Math.floor(Date.now() / 1000) + 3600;
  const parameters = { request, quote, sender: account, recipient, deadline };
  const { spender = '', chainId, from, to, data, value } = await builtCall(provider, parameters);
  const token = request.tokenIn.address;
  const approval = approveCall({ chainId, owner: account, token, spender, amount: quote.maxAmountIn });
  return { quote, calls: [approval, { chainId, from, to, data, value }] };
}

/** Recipient of payments in tests. */
export const PAYEE: Address = '0x00000000000000000000000000000000000A11cE';

/** A call that transfers a token to `PAYEE`, in base units. */
export const transferCall = (
  { chain }: AccountWorld,
  from: Address,
  token: [symbol: string, amount: bigint],
): UnsignedCall => ({
  chainId: chain.chainId,
  from,
  to: localToken(chain, token[0]).address,
  value: 0n,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [PAYEE, token[1]] }),
});

/** A call that sends native coin to `PAYEE`, in wei. */
export const payCall = ({ chain }: AccountWorld, from: Address, value: bigint): UnsignedCall => ({
  chainId: chain.chainId,
  from,
  to: PAYEE,
  data: '0x',
  value,
});

/** Balance in base units, or in wei. */
export function readAccountBalance({ chain, wallet }: AccountWorld, symbol: string, owner: Address): Promise<bigint> {
  if (symbol === 'ETH') return wallet.getBalance({ address: owner });
  const address = localToken(chain, symbol).address as Address;
  return wallet.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
}

/** The error that a promise is rejected with. */
export async function readRefusal(
  promise: Promise<unknown>,
): Promise<{ readonly code: string; readonly message: string; readonly paths: readonly string[] }> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  if (!isServiceError(error)) throw new Error('it was not refused', { cause: error });
  const { errors = [] } = (error.details ?? {}) as { errors?: { path: string }[] };
  return { code: error.code, message: error.message, paths: errors.map(({ path }) => path) };
}
