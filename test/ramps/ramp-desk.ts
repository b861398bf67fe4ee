import { setTimeout as wait } from 'node:timers/promises';
import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  parseEventLogs,
  publicActions,
} from 'viem';
import { generatePrivateKey, nonceManager, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { customerNamed, rest, type RestResponse, runningService } from '../setup/running-service';

/** The running service with its local chain and its emulated ramps. */
const service = runningService();
export const devnet = service.chains.find(({ slug }) => slug === 'devnet')!;
/** A Pix key that the banks of both emulated ramps refuse. */
export const REFUSED_PIX_KEY = 'refused@example.com';
export const otherCustomer = customerNamed(service, 'other').apiKey;
export const token = (symbol: string): Address => devnet.tokens[symbol]!;

const clientOf = (account: PrivateKeyAccount) =>
  createWalletClient({ account, transport: http(devnet.rpcUrl), pollingInterval: 100 }).extend(publicActions);
/** Funds all wallets. Only this module sends from this account. */
const treasury = clientOf(privateKeyToAccount(service.accounts[7]!.privateKey, { nonceManager }));

interface Call {
  readonly to: Address;
  readonly data: Hex;
  readonly value: string;
}

export interface Wallet {
  readonly address: Address;
  /** Sends the calls in order, and returns the hash of the last one after it is mined. */
  send(calls: readonly Call[]): Promise<Hex>;
  balanceOf(symbol: string): Promise<bigint>;
}

export const balanceOf = (owner: Address, symbol: string): Promise<bigint> =>
  treasury.readContract({ address: token(symbol), abi: erc20Abi, functionName: 'balanceOf', args: [owner] });

/** The sender, recipient and amount of the first token transfer in a mined transaction. */
export async function transferredIn(hash: Hex) {
  const { logs } = await treasury.getTransactionReceipt({ hash });
  const [transfer] = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs });
  return transfer?.args;
}

/** Sends tokens to an account, in base units. */
export async function give(to: Address, tokens: Readonly<Record<string, bigint>>): Promise<void> {
  const sent = Object.entries(tokens).map(([symbol, amount]) => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
    return treasury.sendTransaction({ chain: null, gas: 500_000n, to: token(symbol), data });
  });
  for (const hash of await Promise.all(sent)) await treasury.waitForTransactionReceipt({ hash });
}

/** A new wallet with tokens, and with coin for gas. */
export async function newWallet(tokens: Readonly<Record<string, bigint>> = {}): Promise<Wallet> {
  const client = clientOf(privateKeyToAccount(generatePrivateKey()));
  const { address } = client.account;
  if (Object.keys(tokens).length > 0) {
    const gas = await treasury.sendTransaction({ chain: null, to: address, value: 10n ** 18n });
    await treasury.waitForTransactionReceipt({ hash: gas });
    await give(address, tokens);
  }
  return {
    address,
    async send(calls) {
      let hash: Hex = '0x';
      for (const { to, data, value } of calls) {
        hash = await client.sendTransaction({ chain: null, gas: 500_000n, to, data, value: BigInt(value) });
        await client.waitForTransactionReceipt({ hash });
      }
      return hash;
    },
    balanceOf: (symbol) => balanceOf(address, symbol),
  };
}

/** Requests a quote. */
export const requestQuote = (fields: Readonly<Record<string, string>>, apiKey?: string): Promise<RestResponse> =>
  rest(`/v2/swap/quote?${new URLSearchParams(fields).toString()}`, apiKey === undefined ? {} : { apiKey });

export const requestBytecode = (body: object, apiKey?: string): Promise<RestResponse> =>
  rest('/v2/swap/bytecode', { body, ...(apiKey === undefined ? {} : { apiKey }) });

/** Returns the body of a response with status 200. */
export async function expectSuccess(response: Promise<RestResponse>): Promise<any> {
  const { status, body } = await response;
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

export const codeOf = async (response: Promise<RestResponse>): Promise<[number, string]> => {
  const { status, body } = await response;
  return [status, body.error?.code];
};

const TIMEOUT_MS = 60_000;

/** Polls the action until it has ended. */
export async function waitForEnd(id: string): Promise<any> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { body } = await rest(`/actions/${id}`);
    if (body.status !== 'INITIAL' && body.status !== 'PENDING') return body;
    if (performance.now() > deadline) throw new Error(`the action did not end: ${JSON.stringify(body)}`);
    await wait(200);
  }
}

/** Controls an emulator of a ramp, or reads from it. */
export async function steer(emulator: 'primaryRamp' | 'secondaryRamp', path: string, body?: object): Promise<any> {
  const post = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`${service.emulators[emulator]!}${path}`, body === undefined ? {} : post);
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

/** Requests an action and a quote as another customer. Expected: `UNKNOWN`. */
export async function unknownToOthers({ id, quoteId }: { id: string; quoteId: string }): Promise<readonly unknown[]> {
  const apiKey = otherCustomer;
  return Promise.all([
    codeOf(rest(`/actions/${id}`, { apiKey })),
    codeOf(rest(`/v2/swap/status/${id}`, { apiKey })),
    codeOf(rest(`/v2/swap/status/${quoteId}`, { apiKey })),
  ]);
}

export const UNKNOWN = [
  [404, 'ACTION_NOT_FOUND'],
  [404, 'QUOTE_NOT_FOUND'],
  [404, 'QUOTE_NOT_FOUND'],
];

/** Asserts the units of the fee lines, and for pegged pairs that input minus fees equals the output. */
export function assertFeesAddUp(quote: any): void {
  const { tokenIn, tokenOut, feeBreakdown } = quote;
  const rail = feeBreakdown.lines.filter(({ kind }: any) => kind === 'paymentRail');
  for (const { asset, decimals, symbol, signed, amountRaw } of rail) {
    const side = asset === 'tokenIn' ? tokenIn : tokenOut;
    expect([decimals, symbol, signed, BigInt(amountRaw) > 0n]).toEqual([side.decimals, side.symbol, false, true]);
  }
  // A token without a market price has no price impact.
  const impact = feeBreakdown.lines.filter(({ kind }: any) => kind === 'bridgeAndSlippage');
  const labels = quote.priceImpactBps === undefined ? [] : ['Price impact'];
  expect(impact.map(({ label }: any) => label)).toEqual(labels);
  if (!isPegged(tokenIn.symbol, tokenOut.symbol)) return;
  const inUnits = (amountRaw: string, { decimals }: any): bigint => BigInt(amountRaw) * 10n ** BigInt(18 - decimals);
  const taken = rail.reduce((sum: bigint, line: any) => sum + inUnits(line.amountRaw, line), 0n);
  expect(inUnits(tokenIn.amount, tokenIn) - taken).toBe(inUnits(quote.expectedAmountOut, tokenOut));
}

const isPegged = (tokenIn: string, tokenOut: string): boolean => tokenIn.slice(0, 3) === tokenOut.slice(0, 3);

/** An undeployed smart account with tokens and coin for gas, its owner, and a bundler. */
export async function newSmartAccount(tokens: Readonly<Record<string, bigint>>) {
  const owner = privateKeyToAccount(generatePrivateKey());
  const body = { owner: owner.address, chainId: devnet.chainId };
  const { address } = await expectSuccess(rest('/smart-account', { body }));
  const account = address as Address;
  const bundler = clientOf(privateKeyToAccount(generatePrivateKey()));
  for (const to of [account, bundler.account.address]) {
    const hash = await treasury.sendTransaction({ chain: null, to, value: 10n ** 18n });
    await treasury.waitForTransactionReceipt({ hash });
  }
  await give(account, tokens);
  return { owner, account, bundler, balanceOf: (symbol: string) => balanceOf(account, symbol) };
}
