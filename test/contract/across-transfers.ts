import { setTimeout as wait } from 'node:timers/promises';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  erc20Abi,
  type Hash,
  http,
  type PublicClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { DevnetAccount } from '../../devnet/accounts';
import { bridgedChainsOf } from '../../devnet/emulators/across/bridged-chains';
import type { RelayerMode } from '../../devnet/emulators/across/relayer';
import { startAcrossEmulator } from '../../devnet/emulators/across/start-across-emulator';
import type { DevnetChain } from '../../devnet/universe';
import { isNativeToken } from '../../src/chains/addresses';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import type { DeliveryState, BridgeTransfer } from '../../src/venues/delivery-source';
import type { DeliveryProvider } from '../../src/venues/delivery-provider';
import { createAcrossProvider } from '../../src/venues/providers/across/across';
import type { QuoteRequest, SwapCall } from '../../src/venues/quote-provider';
import { chainNamed, type TestUniverse } from '../setup/universe-of-tests';
import { builtCall, rpcOf } from './local-swaps';

const DEADLINE_MS = 40_000;
const EXPIRY_SECONDS = 600;

/** Across between the local chains: its emulator, and the provider that uses it. */
export interface LocalAcross {
  readonly here: DevnetChain;
  readonly there: DevnetChain;
  readonly provider: DeliveryProvider;
  /** The same provider, whose API is down. */
  readonly withoutApi: DeliveryProvider;
  /** The same provider, whose API reports no refunds. */
  readonly withOldApi: DeliveryProvider;
  /** Deposits of the mode `expire` live ten minutes, or until `expire`. */
  steer(mode: RelayerMode): Promise<void>;
  /** Moves the clocks of the chains past the deadlines of all open deposits. */
  expire(): Promise<void>;
  /** Restarts the emulator and its relayer without any state but the chains. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startLocalAcross(universe: TestUniverse, fillDelayMs: number): Promise<LocalAcross> {
  const start = (port?: number) =>
    startAcrossEmulator({
      chains: bridgedChainsOf(universe.chains),
      fillDelayMs,
      expirySeconds: EXPIRY_SECONDS,
      ...(port === undefined ? {} : { port }),
    });
  let emulator = await start();
  const { url } = emulator;
  const control = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${url}/_control/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
  };
  const rpc = rpcOf(universe.chains);
  const clients = [url, 'http://127.0.0.1:9'].map((baseUrl) => createHttpClient({ baseUrl }));
  const [provider, withoutApi] = clients.map((client: HttpClient) => createAcrossProvider({ http: client, rpc }));
  return {
    here: chainNamed(universe, 'devnet'),
    there: chainNamed(universe, 'devnet-l2'),
    provider: provider!,
    withoutApi: withoutApi!,
    withOldApi: createAcrossProvider({
      http: { ...clients[0]!, get: () => Promise.resolve({ status: 'expired' }) },
      rpc,
    }),
    steer: (mode) => control('relayer', { mode }),
    expire: () => control('expire', {}),
    async restart() {
      await emulator.stop();
      emulator = await start(Number.parseInt(new URL(url).port, 10));
      // A request on each kept connection detects that the previous emulator has closed it.
      await Promise.allSettled(clients.map((client) => client.get('/_control/relayer', {}, AbortSignal.timeout(1000))));
    },
    async stop() {
      await emulator.stop();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

export const readerOf = ({ rpcUrl }: DevnetChain): PublicClient =>
  createPublicClient({ transport: http(rpcUrl), pollingInterval: 10, cacheTime: 0 });

/** Quotes, signs and sends a transfer. Returns the bridge transfer to follow. */
export async function sendTransfer(
  { here, provider }: LocalAcross,
  { account, request }: { readonly account: DevnetAccount; readonly request: QuoteRequest },
): Promise<BridgeTransfer> {
  const quote = await provider.quote(request, AbortSignal.timeout(10_000));
  if (quote === undefined) throw new Error('no route');
  const [sender, recipient] = [request.originAddress!, request.destinationAddress!];
  const deadline = Math.floor(Date.now() / 1000) + 300;
  const call = await builtCall(provider, { request, quote, sender, recipient, deadline });
  const originTxHash = await send(here, account, { call, request });
  return { actionId: 'a', request, quote, sender, recipient, originTxHash, checkpoint: undefined };
}

async function send(
  chain: DevnetChain,
  account: DevnetAccount,
  { call, request }: { readonly call: SwapCall; readonly request: QuoteRequest },
): Promise<Hash> {
  const wallet = createWalletClient({
    account: privateKeyToAccount(account.privateKey),
    transport: http(chain.rpcUrl),
  });
  const reader = readerOf(chain);
  if (call.spender !== undefined) {
    const hash = await wallet.writeContract({
      address: request.tokenIn.address as Address,
      abi: erc20Abi,
      functionName: 'approve',
      args: [call.spender as Address, request.amount],
      chain: null,
    });
    await reader.waitForTransactionReceipt({ hash });
  }
  const hash = await wallet.sendTransaction({
    to: call.to as Address,
    data: call.data,
    value: call.value,
    chain: null,
  });
  const { status } = await reader.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw new Error(`the deposit reverted: ${hash}`);
  return hash;
}

export const poll = (provider: DeliveryProvider, transfer: BridgeTransfer): Promise<DeliveryState> =>
  provider.deliveries.follow(transfer, AbortSignal.timeout(10_000));

/** Polls until the status is reached, and passes the checkpoint through JSON like the database. */
export async function followUntil<Status extends DeliveryState['status']>(
  provider: DeliveryProvider,
  { transfer, status }: { readonly transfer: BridgeTransfer; readonly status: Status },
): Promise<DeliveryState & { readonly status: Status }> {
  const deadline = Date.now() + DEADLINE_MS;
  let checkpoint: unknown;
  for (;;) {
    const state = await poll(provider, { ...transfer, checkpoint });
    if (state.status === status) return state as DeliveryState & { readonly status: Status };
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(state)}`);
    checkpoint = state.checkpoint === undefined ? undefined : (JSON.parse(JSON.stringify(state.checkpoint)) as unknown);
    await wait(100);
  }
}

export async function balanceOf(chain: DevnetChain, token: string, owner: string): Promise<bigint> {
  const reader = readerOf(chain);
  if (isNativeToken(token)) return reader.getBalance({ address: owner as Address });
  const call = { address: token as Address, abi: erc20Abi, functionName: 'balanceOf' } as const;
  return reader.readContract({ ...call, args: [owner as Address] });
}
