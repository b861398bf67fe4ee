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

/** A transfer between two new wallets, from `devnet` to `devnet-l2`. */
export interface PreparedTransfer {
  readonly bridge: Bridge;
  readonly account: PrivateKeyAccount;
  readonly recipient: Address;
}

/** A transfer whose transactions are mined. */
export interface SentTransfer extends PreparedTransfer {
  /** Id of the action. */
  readonly id: string;
}

/** Initial balance of the sender, and the amount of the transfer, in base units of USDC. */
export const INITIAL_BALANCE = 100_000_000n;
export const SENT_AMOUNT = 40_000_000n;

const GAS = 1_000_000n;
const DEADLINE_MS = 270_000;
/** Longer than the service works on any request. */
const MAX_RESPONSE_MS = 60_000;
const faucet = parseAbi(['function mint(address to, uint256 value)']);

type Call = { readonly to: Address; readonly data: Hex; readonly value: string };

const chainOf = ({ described }: KillableService, slug: 'devnet' | 'devnet-l2') => {
  const { rpcUrl, chainId, tokens } = described.chains.find((chain) => chain.slug === slug)!;
  const transport = http(rpcUrl, { retryCount: 0 });
  const reader = createPublicClient({ transport, pollingInterval: 50 });
  return { chainId, transport, reader, usdc: tokens['USDC']! };
};

/** Creates a wallet with USDC and native coin on `devnet`, and an empty recipient. */
export async function prepareTransfer(service: KillableService, bridge: Bridge): Promise<PreparedTransfer> {
  const { transport, usdc } = chainOf(service, 'devnet');
  const account = privateKeyToAccount(generatePrivateKey());
  const { address } = account;
  await createTestClient({ mode: 'anvil', transport }).setBalance({ address, value: parseEther('10') });
  const data = encodeFunctionData({ abi: faucet, functionName: 'mint', args: [address, INITIAL_BALANCE] });
  await sendUntilMined(
    service,
    await signTransaction(service, account, { call: { to: usdc, data, value: '0' }, nonce: 0 }),
  );
  return { bridge, account, recipient: privateKeyToAccount(generatePrivateKey()).address };
}

/** Requests and sends a transfer like a customer, and retries while the service is down. @throws when a transaction reverts */
export async function requestAndSendTransfer(
  service: KillableService,
  transfer: PreparedTransfer,
): Promise<SentTransfer> {
  const { id, transactions } = await retryUntilSuccess(() => requestTransfer(service, transfer));
  for (const [index, call] of transactions.entries()) {
    const next = { call, nonce: index + 1 };
    const raw = await retryUntilSuccess(() => signTransaction(service, transfer.account, next));
    await sendUntilMined(service, raw);
  }
  return { ...transfer, id };
}

/** Repeats what fails while the service is down. */
async function retryUntilSuccess<Result>(attempt: () => Promise<Result>): Promise<Result> {
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

/** Sends a GET request with the API key of the customer `load`. */
async function getJson(service: KillableService, target: string): Promise<any> {
  const { baseUrl } = service.described;
  const headers = { 'x-api-key': customerNamed(service.described, 'load').apiKey };
  const response = await fetch(baseUrl + target, { headers, signal: AbortSignal.timeout(MAX_RESPONSE_MS) });
  const body: any = await response.json();
  if (response.status !== 200) throw new Error(`${target}: ${JSON.stringify(body)}`);
  return body;
}

function requestTransfer(service: KillableService, { bridge, account, recipient }: PreparedTransfer) {
  const query = new URLSearchParams({
    originChain: 'devnet',
    destinationChain: 'devnet-l2',
    amountIn: SENT_AMOUNT.toString(),
    preferredProvider: bridge,
    tokenIn: chainOf(service, 'devnet').usdc,
    tokenOut: chainOf(service, 'devnet-l2').usdc,
    originAddress: account.address,
    destinationAddress: recipient,
  });
  return getJson(service, `/v2/swap/quote?${query.toString()}`) as Promise<{
    id: string;
    transactions: readonly Call[];
  }>;
}

interface NextCall {
  readonly call: Call;
  readonly nonce: number;
}

function signTransaction(
  service: KillableService,
  account: PrivateKeyAccount,
  { call, nonce }: NextCall,
): Promise<Hex> {
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

/** Sends a transaction until it is mined. @throws when it reverts */
async function sendUntilMined(service: KillableService, raw: Hex): Promise<void> {
  const hash = keccak256(raw);
  const { status } = await retryUntilSuccess(async () => {
    const { reader } = chainOf(service, 'devnet');
    const receipt = await reader.getTransactionReceipt({ hash }).catch(() => undefined);
    if (receipt !== undefined) return receipt;
    await reader.sendRawTransaction({ serializedTransaction: raw });
    return reader.waitForTransactionReceipt({ hash, timeout: 5000 });
  });
  if (status !== 'success') throw new Error('the transaction reverted');
}

/** Waits for the end of the action; `undefined` after the timeout. */
export async function awaitOutcome(service: KillableService, { id }: SentTransfer, timeoutMs: number): Promise<any> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    const action = await retryUntilSuccess(() => getJson(service, `/actions/${id}`));
    if (action.status !== 'INITIAL' && action.status !== 'PENDING') return action;
    await wait(200);
  }
  return undefined;
}

/** Reads the amounts of all transfers to the recipient, and the remaining balance of the sender. */
export async function readBalances(service: KillableService, { account, recipient }: PreparedTransfer) {
  const [origin, destination] = [chainOf(service, 'devnet'), chainOf(service, 'devnet-l2')];
  const event = getAbiItem({ abi: erc20Abi, name: 'Transfer' });
  const filter = { address: destination.usdc, event, args: { to: recipient }, fromBlock: 0n } as const;
  const [arrivals, remaining] = await Promise.all([
    destination.reader.getLogs(filter),
    origin.reader.readContract({
      address: origin.usdc,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account.address],
    }),
  ]);
  return { received: arrivals.map(({ args }) => args.value!), remaining };
}
