import { setTimeout as wait } from 'node:timers/promises';
import {
  type Address,
  createPublicClient,
  createTestClient,
  encodeFunctionData,
  erc20Abi,
  getAbiItem,
  type Hex,
  http,
  keccak256,
  parseAbi,
  parseEther,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { customerNamed } from '../setup/running-service';
import type { KillableService } from './killed-service';

export type Bridge = 'across' | 'cctp';

/** Money of a wallet of its own on `devnet` that is to be sent to a wallet of its own on `devnet-l2`. */
export interface Sending {
  readonly bridge: Bridge;
  readonly account: PrivateKeyAccount;
  readonly recipient: Address;
}

/** A sending whose transaction was mined, whatever happened to the service meanwhile. */
export interface Sent extends Sending {
  /** Id of the action. */
  readonly id: string;
}

/** What a wallet has at first, and what is sent of it, in base units of USDC. */
export const OWNED = 100_000_000n;
export const AMOUNT = 40_000_000n;

const GAS = 1_000_000n;
const DEADLINE_MS = 60_000;
const faucet = parseAbi(['function mint(address to, uint256 value)']);

type Call = { readonly to: Address; readonly data: Hex; readonly value: string };

const chainOf = ({ described }: KillableService, slug: 'devnet' | 'devnet-l2') => {
  const { rpcUrl, chainId, tokens } = described.chains.find((chain) => chain.slug === slug)!;
  const transport = http(rpcUrl, { retryCount: 0 });
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  return { chainId, transport, reader, usdc: tokens['USDC']! };
};

/** A wallet with USDC and native coin on `devnet`, and one that is empty. */
export async function prepareSending(service: KillableService, bridge: Bridge): Promise<Sending> {
  const { transport, usdc } = chainOf(service, 'devnet');
  const account = privateKeyToAccount(generatePrivateKey());
  const { address } = account;
  await createTestClient({ mode: 'anvil', transport }).setBalance({ address, value: parseEther('10') });
  const data = encodeFunctionData({ abi: faucet, functionName: 'mint', args: [address, OWNED] });
  await mined(service, await signed(service, account, { call: { to: usdc, data, value: '0' }, nonce: 0 }));
  return { bridge, account, recipient: privateKeyToAccount(generatePrivateKey()).address };
}

/** Does what a customer does, and goes on with it after the service died and came back. */
export async function send(service: KillableService, sending: Sending): Promise<Sent> {
  const { id, transactions } = await untilItWorks(() => handedOut(service, sending));
  for (const [index, call] of transactions.entries()) {
    const raw = await untilItWorks(() => signed(service, sending.account, { call, nonce: index + 1 }));
    await untilItWorks(() => mined(service, raw));
  }
  return { ...sending, id };
}

async function untilItWorks<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(200);
    }
  }
}

/** Asks with the key of the customer `load`. */
async function ask(service: KillableService, target: string): Promise<any> {
  const { baseUrl } = service.described;
  const headers = { 'x-api-key': customerNamed(service.described, 'load').apiKey };
  const response = await fetch(baseUrl + target, { headers, signal: AbortSignal.timeout(10_000) });
  const body: any = await response.json();
  if (response.status !== 200) throw new Error(`${target}: ${JSON.stringify(body)}`);
  return body;
}

function handedOut(service: KillableService, { bridge, account, recipient }: Sending) {
  const query = new URLSearchParams({
    originChain: 'devnet',
    destinationChain: 'devnet-l2',
    amountIn: AMOUNT.toString(),
    preferredProvider: bridge,
    tokenIn: chainOf(service, 'devnet').usdc,
    tokenOut: chainOf(service, 'devnet-l2').usdc,
    originAddress: account.address,
    destinationAddress: recipient,
  });
  return ask(service, `/v2/swap/quote?${query.toString()}`) as Promise<{ id: string; transactions: readonly Call[] }>;
}

interface Order {
  readonly call: Call;
  readonly nonce: number;
}

function signed(service: KillableService, account: PrivateKeyAccount, { call, nonce }: Order): Promise<Hex> {
  const { to, data, value } = call;
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  const { chainId } = chainOf(service, 'devnet');
  return account.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    gas: GAS,
    ...fees,
    to,
    data,
    value: BigInt(value),
  });
}

/** Sends a transaction, again if need be, until it is in a block; it fails when that has not worked out so far. */
async function mined(service: KillableService, raw: Hex): Promise<void> {
  const { reader } = chainOf(service, 'devnet');
  const hash = keccak256(raw);
  const known = await reader.getTransactionReceipt({ hash }).catch(() => undefined);
  if (known === undefined) await reader.sendRawTransaction({ serializedTransaction: raw });
  const { status } = known ?? (await reader.waitForTransactionReceipt({ hash, timeout: 5000 }));
  if (status !== 'success') throw new Error('the transaction reverted');
}

/** The action once it has ended; `undefined` when it has not in time. */
export async function outcome(service: KillableService, { id }: Sent, patienceMs: number): Promise<any> {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const action = await ask(service, `/actions/${id}`);
    if (action.status !== 'INITIAL' && action.status !== 'PENDING') return action;
    await wait(200);
  }
  return undefined;
}

/** What the chains say of a sending: the amounts that arrived, one by one, and what the sender has. */
export async function counted(service: KillableService, { account, recipient }: Sending) {
  const [origin, destination] = [chainOf(service, 'devnet'), chainOf(service, 'devnet-l2')];
  const event = getAbiItem({ abi: erc20Abi, name: 'Transfer' });
  const filter = { address: destination.usdc, event, args: { to: recipient }, fromBlock: 0n } as const;
  const [arrivals, left] = await Promise.all([
    destination.reader.getLogs(filter),
    origin.reader.readContract({
      address: origin.usdc,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account.address],
    }),
  ]);
  return { arrived: arrivals.map(({ args }) => args.value!), left };
}
