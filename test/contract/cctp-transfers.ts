import { setTimeout as wait } from 'node:timers/promises';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  erc20Abi,
  type Hash,
  type Hex,
  http,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import type { DevnetAccount } from '../../devnet/accounts';
import { startAttestationEmulator } from '../../devnet/emulators/attestation/start-attestation-emulator';
import type { DevnetChain } from '../../devnet/universe';
import { createHttpClient } from '../../src/http/http-client';
import type { DeliveryState, BridgeTransfer } from '../../src/venues/delivery-source';
import type { DeliveryProvider } from '../../src/venues/delivery-provider';
import { createCctpProvider } from '../../src/venues/providers/cctp/cctp';
import type { QuoteRequest, TransferSpeed, UnsignedCall } from '../../src/venues/quote-provider';
import { minedReceipt } from '../setup/mined-receipt';
import { chainNamed, type TestUniverse, tokenNamed } from '../setup/universe-of-tests';
import { builtCall, localRequest, rpcOf } from './local-swaps';

/** CCTP between the local chains: the attestation service, and the provider that uses it. */
export interface LocalCctp {
  /** The chain with fast transfers: its burns are attested before they are final. */
  readonly here: DevnetChain;
  readonly there: DevnetChain;
  /** URL of the attestation service. */
  readonly url: string;
  readonly provider: DeliveryProvider;
  /** The same provider, whose attestation service is down. */
  readonly withoutApi: DeliveryProvider;
  /** Controls the attestation service. */
  steer(control: string, body?: object): Promise<void>;
  /** Returns the first message of a response of the attestation service. */
  fetchMessage(path: string): Promise<{ readonly message: Hex; readonly attestation: Hex }>;
  /** A request for USDC between the chains, with an unused recipient. */
  request(transfer: LocalTransfer): QuoteRequest;
  stop(): Promise<void>;
}

export interface LocalTransfer {
  readonly from?: DevnetChain;
  readonly side?: 'in' | 'out';
  readonly amount: bigint;
  readonly sender: Address;
  readonly speed?: TransferSpeed;
}

export async function startLocalCctp(universe: TestUniverse): Promise<LocalCctp> {
  const emulator = await startAttestationEmulator({ chains: universe.chains, indexDelayMs: 50, fastDelayMs: 100 });
  const rpc = rpcOf(universe.chains);
  const clients = [emulator.url, 'http://127.0.0.1:9'].map((baseUrl) => createHttpClient({ baseUrl }));
  const [provider, withoutApi] = clients.map((client) => createCctpProvider({ http: client, rpc }));
  const [here, there] = [chainNamed(universe, 'devnet'), chainNamed(universe, 'devnet-l2')];
  return {
    here,
    there,
    url: emulator.url,
    provider: provider!,
    withoutApi: withoutApi!,
    async steer(control, body = {}) {
      const response = await fetch(`${emulator.url}/_control/${control}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    async fetchMessage(path) {
      const response = (await (await fetch(`${emulator.url}${path}`)).json()) as { messages: [never] };
      return response.messages[0];
    },
    request({ from = here, side = 'in', amount, sender, speed }) {
      const destination = from === here ? there : here;
      const recipient = privateKeyToAddress(generatePrivateKey());
      const swap = { chain: from, destination, pair: ['USDC', 'USDC'], side, amount, sender, recipient } as const;
      return { ...localRequest(swap), transferSpeed: speed };
    },
    async stop() {
      await emulator.stop();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

export const readerOf = ({ rpcUrl }: DevnetChain): PublicClient =>
  createPublicClient({ transport: http(rpcUrl), pollingInterval: 10, cacheTime: 0 });

/** Quotes, signs and sends a burn. Returns the bridge transfer to follow. */
export async function sendTransfer(
  cctp: LocalCctp,
  { account, request }: { readonly account: DevnetAccount; readonly request: QuoteRequest },
): Promise<BridgeTransfer> {
  const quote = await cctp.provider.quote(request, AbortSignal.timeout(10_000));
  if (quote === undefined) throw new Error('no route');
  const [sender, recipient] = [request.originAddress!, request.destinationAddress!];
  const deadline = Math.floor(Date.now() / 1000) + 300;
  const call = await builtCall(cctp.provider, { request, quote, sender, recipient, deadline });
  const chain = request.origin.chainId === cctp.here.chainId ? cctp.here : cctp.there;
  const wallet = createWalletClient({
    account: privateKeyToAccount(account.privateKey),
    transport: http(chain.rpcUrl),
  });
  const approval = await wallet.writeContract({
    address: request.tokenIn.address as Address,
    abi: erc20Abi,
    functionName: 'approve',
    args: [call.spender as Address, quote.maxAmountIn],
    chain: null,
  });
  await minedReceipt(readerOf(chain), approval);
  const { transactionHash } = await sendCall(chain, account, call);
  return { actionId: 'a', request, quote, sender, recipient, originTxHash: transactionHash, checkpoint: undefined };
}

/** Signs and sends a call. @throws when it reverts, with the reason */
export async function sendCall(
  chain: DevnetChain,
  { privateKey }: DevnetAccount,
  { to, data, value }: Pick<UnsignedCall, 'to' | 'data' | 'value'>,
): Promise<TransactionReceipt> {
  const wallet = createWalletClient({ account: privateKeyToAccount(privateKey), transport: http(chain.rpcUrl) });
  const hash = await wallet.sendTransaction({ to: to as Address, data, value, chain: null });
  const receipt = await minedReceipt(readerOf(chain), hash);
  if (receipt.status !== 'success') throw new Error(`it reverted: ${hash}`);
  return receipt;
}

export const poll = (provider: DeliveryProvider, transfer: BridgeTransfer): Promise<DeliveryState> =>
  provider.deliveries.follow(transfer, AbortSignal.timeout(10_000));

const stageOf = (state: DeliveryState): string => (state.status === 'inFlight' ? state.waitingFor : state.status);

const TIMEOUT_MS = 30_000;

/**
 * Polls until the stage is reached, and passes the checkpoint through JSON like the database. Returns the transfer with
 * the last checkpoint, its state, and all stages.
 */
export async function followUntil(provider: DeliveryProvider, transfer: BridgeTransfer, expected: string) {
  const deadline = Date.now() + TIMEOUT_MS;
  const stages: string[] = [];
  let current = transfer;
  for (;;) {
    const state = await poll(provider, current);
    current = { ...current, checkpoint: JSON.parse(JSON.stringify(state.checkpoint ?? null)) as unknown };
    const stage = stageOf(state);
    if (stages.at(-1) !== stage) stages.push(stage);
    if (stage === expected) return { state, transfer: current, stages };
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(state)}`);
    await wait(50);
  }
}

/** Completes an attested transfer with a transaction of the account. */
export async function complete(
  cctp: LocalCctp,
  { transfer, account }: { readonly transfer: BridgeTransfer; readonly account: DevnetAccount },
): Promise<Hash> {
  const call = await cctp.provider.deliveries.completion!(transfer, AbortSignal.timeout(10_000));
  if (call === undefined) throw new Error('it cannot be completed');
  const { transactionHash } = await sendCall(destinationOf(cctp, transfer), account, call);
  return transactionHash;
}

export const destinationOf = ({ here, there }: LocalCctp, { request }: Pick<BridgeTransfer, 'request'>): DevnetChain =>
  request.destination.chainId === there.chainId ? there : here;

export const usdcOf = (chain: DevnetChain, owner: string): Promise<bigint> =>
  readerOf(chain).readContract({
    address: tokenNamed(chain, 'USDC').address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [owner as Address],
  });

export const supplyOf = (chain: DevnetChain): Promise<bigint> =>
  readerOf(chain).readContract({
    address: tokenNamed(chain, 'USDC').address,
    abi: erc20Abi,
    functionName: 'totalSupply',
  });
