import { setTimeout as wait } from 'node:timers/promises';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  erc20Abi,
  type Hex,
  http,
  type PublicClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { DevnetAccount } from '../../devnet/accounts';
import type { DevnetChain } from '../../devnet/universe';
import { isNativeToken, NATIVE_TOKEN } from '../../src/chains/addresses';
import type { Chain } from '../../src/chains/chain';
import { createChainTable } from '../../src/chains/chain-table';
import { toBaseUnits } from '../../src/money/base-units';
import { parseSlippage } from '../../src/money/slippage';
import type { BuildParameters, QuoteProvider, QuoteRequest, SwapCall } from '../../src/venues/quote-provider';
import { createRpc, type Rpc } from '../../src/rpc/rpc';
import type { Token } from '../../src/tokens/token';
import { NO_TIMEOUT_MS } from './faulty-upstream';

/** RPC clients of the service for local chains. `urls` replaces the URLs of chains by slug. */
export function rpcOf(chains: readonly DevnetChain[], urls: Readonly<Record<string, string>> = {}): Rpc {
  const rpcUrls = new Map(chains.map((chain) => [chain.chainId, urls[chain.slug] ?? chain.rpcUrl]));
  const table = createChainTable(chains.map(asChain));
  return createRpc({ chains: { table, rpcUrls }, log: { warn: () => undefined }, timeoutMs: NO_TIMEOUT_MS });
}

export const asChain = (chain: DevnetChain): Chain => ({ ...chain, explorer: undefined });

/** A token of a local chain by its symbol; `ETH` is the native coin. */
export function localToken(chain: DevnetChain, symbol: string): Token {
  const { chainId, nativeCurrency } = chain;
  if (symbol === 'ETH') return { chainId, address: NATIVE_TOKEN, ...nativeCurrency, logoURI: undefined };
  const listed = chain.tokens.find((token) => token.symbol === symbol);
  if (listed === undefined) throw new Error(`${chain.slug} has no token ${symbol}`);
  return { logoURI: undefined, ...listed, chainId };
}

export interface LocalSwap {
  readonly chain: DevnetChain;
  /** Destination chain. Default: the same chain. */
  readonly destination?: DevnetChain;
  readonly pair: readonly [tokenIn: string, tokenOut: string];
  readonly side?: 'in' | 'out';
  readonly amount: bigint;
  readonly sender: Address;
  readonly recipient: Address;
}

export function localRequest({ chain, destination = chain, ...swap }: LocalSwap): QuoteRequest {
  const { pair, side = 'in', amount, sender, recipient } = swap;
  const [tokenIn, tokenOut] = [localToken(chain, pair[0]), localToken(destination, pair[1])];
  return {
    origin: asChain(chain),
    destination: asChain(destination),
    tokenIn,
    tokenOut,
    side,
    amount: toBaseUnits(amount),
    slippage: parseSlippage('0.005')!,
    originAddress: sender,
    destinationAddress: recipient,
  };
}

/** The call that a provider builds for a quote on an EVM chain. */
export async function builtCall(provider: QuoteProvider, parameters: BuildParameters): Promise<SwapCall> {
  const execution = await provider.build(parameters, new AbortController().signal);
  if (execution.kind !== 'call') throw new Error(`${provider.id} built no call`);
  return execution;
}

/** The balance changes of a swap. Gas does not count as spent. */
export interface ExecutedSwap {
  readonly spent: bigint;
  readonly received: bigint;
  readonly gasUsed: bigint;
}

/** The account and the chains of an execution. */
export interface LocalExecution {
  readonly chain: DevnetChain;
  /** Destination chain. Default: the same chain. The execution waits for an arrival on another chain. */
  readonly destination?: DevnetChain;
  readonly account: DevnetAccount;
  readonly provider: QuoteProvider;
  /** Completes a transfer after its transaction is mined. */
  readonly settle?: (originTxHash: Hex) => Promise<void>;
}

/** Signs and sends the approval and the call of a provider. Returns the balance changes of both wallets. */
export async function executeLocally(execution: LocalExecution, parameters: BuildParameters): Promise<ExecutedSwap> {
  const { chain, destination = chain, account, provider } = execution;
  const [reader, there] = [chain, destination].map(readerOf) as [PublicClient, PublicClient];
  const { request, sender, recipient } = parameters;
  const call = await builtCall(provider, parameters);
  await approve({ chain, account, reader }, { call, parameters });
  const sold = () => balanceOf(reader, request.tokenIn.address, sender);
  const bought = () => balanceOf(there, request.tokenOut.address, recipient);
  const [inBefore, outBefore] = [await sold(), await bought()];
  const { gasUsed, effectiveGasPrice, transactionHash } = await send({ chain, account, reader }, call);
  await execution.settle?.(transactionHash);
  if (destination !== chain) await waitForArrival(async () => (await bought()) > outBefore);
  const [inAfter, outAfter] = [await sold(), await bought()];
  const gas = gasUsed * effectiveGasPrice;
  const paidInCoin = isNativeToken(request.tokenIn.address) ? gas : 0n;
  const isGasFromOutput = destination === chain && isNativeToken(request.tokenOut.address) && recipient === sender;
  return {
    spent: inBefore - inAfter - paidInCoin,
    received: outAfter - outBefore + (isGasFromOutput ? gas : 0n),
    gasUsed,
  };
}

/** Signs and sends the approval and the call of a provider. Returns the hash of the mined transaction. */
export async function sendLocally(
  { chain, account, provider }: Pick<LocalExecution, 'chain' | 'account' | 'provider'>,
  parameters: BuildParameters,
): Promise<Hex> {
  const signer = { chain, account, reader: readerOf(chain) };
  const call = await builtCall(provider, parameters);
  await approve(signer, { call, parameters });
  return (await send(signer, call)).transactionHash;
}

const readerOf = (chain: DevnetChain): PublicClient =>
  createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 10, cacheTime: 0 });

/** Maximum duration of a transfer between local chains. */
const ARRIVAL_MS = 90_000;

async function waitForArrival(hasArrived: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + ARRIVAL_MS;
  while (!(await hasArrived())) {
    if (Date.now() > deadline) throw new Error('nothing arrived on the destination chain');
    await wait(50);
  }
}

interface Signer {
  readonly chain: DevnetChain;
  readonly account: DevnetAccount;
  readonly reader: PublicClient;
}

async function approve(
  signer: Signer,
  { call, parameters }: { call: SwapCall; parameters: BuildParameters },
): Promise<void> {
  if (call.spender === undefined) return;
  const wallet = walletOf(signer);
  const hash = await wallet.writeContract({
    address: parameters.request.tokenIn.address as Address,
    abi: erc20Abi,
    functionName: 'approve',
    args: [call.spender as Address, parameters.quote.maxAmountIn],
    chain: null,
  });
  await signer.reader.waitForTransactionReceipt({ hash });
}

async function send(signer: Signer, call: SwapCall) {
  const { to, data, value } = call;
  const hash = await walletOf(signer).sendTransaction({ to: to as Address, data, value, gas: 3_000_000n, chain: null });
  const receipt = await signer.reader.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`the swap reverted: ${hash}`);
  return receipt;
}

const walletOf = ({ chain, account }: Signer) =>
  createWalletClient({ account: privateKeyToAccount(account.privateKey), transport: http(chain.rpcUrl) });

async function balanceOf(reader: PublicClient, token: string, owner: string): Promise<bigint> {
  if (isNativeToken(token)) return reader.getBalance({ address: owner as Address });
  return reader.readContract({
    address: token as Address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner as Address],
  });
}
