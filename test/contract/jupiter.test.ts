import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connection, Keypair } from '@solana/web3.js';
import { type JupiterEmulator, startJupiterEmulator } from '../../devnet/emulators/jupiter/start-jupiter-emulator';
import { fromBase58 } from '../../devnet/solana/base58';
import { type SolanaValidator, startSolanaValidator } from '../../devnet/solana/start-solana-validator';
import type { Chain } from '../../src/chains/chain';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { toBaseUnits } from '../../src/money/base-units';
import { parseSlippage } from '../../src/money/slippage';
import { createJupiterProvider } from '../../src/venues/providers/jupiter/jupiter';
import type { BuildParameters, QuoteProvider, QuoteRequest, SolanaProgramCall } from '../../src/venues/quote-provider';
import { NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';
import { describeQuoteProvider } from './quote-provider';
import { sendProgramCall, solanaBalance } from './solana-swaps';

const everything = { serves: () => true };
let directory: string;
let validator: SolanaValidator;
let emulator: JupiterEmulator;
let http: HttpClient;
let chain: Chain;
let provider: QuoteProvider;
let connection: Connection;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'afluente-jupiter-'));
  // Slots pass only on request, so that no blockhash expires meanwhile.
  const slotMs = 3_600_000;
  validator = await startSolanaValidator({ dataDirectory: directory, accounts: 3, log: () => undefined, slotMs });
  const { rpcUrl, tokens } = validator;
  emulator = await startJupiterEmulator({
    rpcUrl,
    prices: { SOL: 150, USDC: 1, BRZ: 0.18, BRS: 0.18 },
    venueSecretKey: keyOf(2).secretKey,
    tokens: tokens.map(({ address, symbol, decimals }) => ({ mint: address, symbol, decimals })),
  });
  // The lookup table of the venue can be used in the slot after that in which it was filled.
  await advance();
  http = createHttpClient({ baseUrl: emulator.url });
  chain = {
    ...validator.chain,
    explorer: undefined,
    wrappedNative: undefined,
    connectors: [],
    dollarTokens: [],
    uniswapV2: undefined,
    uniswapV3: undefined,
    jupiter: { program: emulator.program },
  };
  provider = createJupiterProvider({
    http,
    solana: { ...everything, lookupTables: () => Promise.resolve({}) },
  });
  connection = new SteppedConnection(rpcUrl, 'confirmed');
});
afterAll(async () => {
  await http.close();
  await emulator.stop();
  await validator.stop();
  rmSync(directory, { recursive: true, force: true });
});
afterEach(() => control('normal'));

const keyOf = (index: number): Keypair => Keypair.fromSecretKey(fromBase58(validator.accounts[index]!.secretKey));
const control = (mode: string) =>
  fetch(`${emulator.url}/_control/jupiter`, { method: 'POST', body: JSON.stringify({ mode }) });
/** Ends the slot of each transaction that it has sent. */
class SteppedConnection extends Connection {
  override async sendRawTransaction(...args: Parameters<Connection['sendRawTransaction']>): Promise<string> {
    const signature = await super.sendRawTransaction(...args);
    await advance();
    return signature;
  }
}

/** Ends the current slot. */
async function advance(): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'validator_skipSlots', params: [1] });
  const response = await fetch(validator.rpcUrl, { method: 'POST', body });
  expect(response.status).toBe(200);
}

const signal = () => AbortSignal.timeout(60_000);

function requestFor(pair: readonly [string, string], amount: bigint, recipient?: string): QuoteRequest {
  const [tokenIn, tokenOut] = pair.map((symbol) => {
    const token = validator.tokens.find((candidate) => candidate.symbol === symbol)!;
    return { ...token, chainId: chain.chainId, logoURI: undefined };
  });
  const originAddress = validator.accounts[0]!.address;
  return {
    origin: chain,
    destination: chain,
    tokenIn: tokenIn!,
    tokenOut: tokenOut!,
    side: 'in',
    amount: toBaseUnits(amount),
    slippage: parseSlippage('0.005')!,
    originAddress,
    destinationAddress: recipient ?? originAddress,
  };
}

/** Executes a quote. Returns the balance changes of sender and recipient without the transaction fee. */
async function execute(through: QuoteProvider, parameters: BuildParameters) {
  const { request, sender, recipient } = parameters;
  const readBalances = () =>
    Promise.all([
      solanaBalance(connection, request.tokenIn.address, sender),
      solanaBalance(connection, request.tokenOut.address, recipient),
    ]);
  const call = (await through.build(parameters, signal())) as SolanaProgramCall;
  const [inBefore, outBefore] = await readBalances();
  const fee = await sendProgramCall(connection, keyOf(0), call);
  const [inAfter, outAfter] = await readBalances();
  const feeIn = request.tokenIn.symbol === 'SOL' ? fee : 0n;
  const feeOut = request.tokenOut.symbol === 'SOL' && recipient === sender ? fee : 0n;
  return { spent: inBefore - inAfter - feeIn, received: outAfter - outBefore + feeOut };
}

describeQuoteProvider('jupiter', async () => {
  const upstream = await startFaultyUpstream(emulator.url);
  const client = createHttpClient({ baseUrl: upstream.url, timeoutMs: NO_TIMEOUT_MS });
  const faultyProvider = createJupiterProvider({
    http: client,
    solana: { ...everything, lookupTables: () => Promise.resolve({}) },
  });
  const [unlisted] = validator.unlistedTokens;
  const served = requestFor(['USDC', 'BRZ'], 5_000_000n);
  return {
    provider: faultyProvider,
    upstream,
    served: [served, requestFor(['SOL', 'USDC'], 10n ** 9n), requestFor(['USDC', 'SOL'], 30_000_000n)],
    unroutable: [{ ...served, tokenOut: { ...unlisted!, chainId: chain.chainId, logoURI: undefined } }],
    unsupported: [
      { ...served, side: 'out' },
      { ...served, destination: { ...chain, chainId: 1 } },
    ],
    // Every transaction has another account for the bought tokens.
    comparable: (execution) => ({ kind: execution.kind, chainId: execution.chainId }),
    execute: (parameters) => execute(faultyProvider, parameters),
    tearDown: () => client.close(),
  };
});

async function parametersFor(request: QuoteRequest): Promise<BuildParameters> {
  const quote = (await provider.quote(request, signal()))!;
  const parties = { sender: request.originAddress!, recipient: request.destinationAddress! };
  return { request, quote, ...parties, deadline: Math.floor(Date.now() / 1000) + 300 };
}

const built = async (parameters: BuildParameters) => (await provider.build(parameters, signal())) as SolanaProgramCall;

describe('a swap on Solana through the aggregator', () => {
  it.each([
    ['USDC', 'BRZ', 5_000_000n],
    ['SOL', 'USDC', 1_000_000_000n],
    ['USDC', 'SOL', 30_000_000n],
  ] as const)('delivers the quoted amount: %s to %s', async (sold, bought, amount) => {
    const parameters = await parametersFor(requestFor([sold, bought], amount));
    const { quote } = parameters;
    expect(await execute(provider, parameters)).toEqual({ spent: quote.amountIn, received: quote.expectedAmountOut });
  });

  it('opens the token account of a new recipient', async () => {
    const recipient = Keypair.generate().publicKey.toBase58();
    const parameters = await parametersFor(requestFor(['USDC', 'BRZ'], 7_000_000n, recipient));
    await sendProgramCall(connection, keyOf(0), await built(parameters));
    const { tokenOut } = parameters.request;
    expect(await solanaBalance(connection, tokenOut.address, recipient)).toBe(parameters.quote.expectedAmountOut);
  });

  it('falls back to the first version of the interface', async () => {
    await control('secondVersionDown');
    const parameters = await parametersFor(requestFor(['USDC', 'BRZ'], 5_000_000n));
    const before = await solanaBalance(connection, parameters.request.tokenOut.address, parameters.sender);
    await sendProgramCall(connection, keyOf(0), await built(parameters));
    const after = await solanaBalance(connection, parameters.request.tokenOut.address, parameters.sender);
    expect(after - before).toBe(parameters.quote.expectedAmountOut);
  });

  it('is refused above the largest amount that a token account can hold, without a request', async () => {
    const maximum = 2n ** 64n - 1n;
    await expect(provider.quote(requestFor(['USDC', 'BRZ'], maximum + 1n), signal())).rejects.toMatchObject({
      code: 'AMOUNT_IN_TOO_HIGH',
      details: { maximum: maximum.toString() },
    });
  });

  it('has no quote for tokens that are not traded', async () => {
    await control('noRoute');
    expect(await provider.quote(requestFor(['USDC', 'BRZ'], 5_000_000n), signal())).toBeUndefined();
  });

  it.each([
    ['foreignSigner', 'requires the signature of another account'],
    ['foreignProgram', 'calls the program'],
  ])('is refused when the aggregator responds with manipulated instructions: %s', async (mode, reason) => {
    const parameters = await parametersFor(requestFor(['USDC', 'BRZ'], 5_000_000n));
    await control(mode);
    await expect(provider.build(parameters, signal())).rejects.toMatchObject({
      code: 'BYTECODE_GENERATION_FAILED',
      message: expect.stringContaining(reason),
    });
  });

  it('is refused at a worse price than the minimum of the quote', async () => {
    const parameters = await parametersFor(requestFor(['USDC', 'BRZ'], 5_000_000n));
    const better = { ...parameters.quote, minAmountOut: toBaseUnits(parameters.quote.expectedAmountOut + 1n) };
    await expect(provider.build({ ...parameters, quote: better }, signal())).rejects.toMatchObject({
      code: 'QUOTE_EXPIRED',
    });
  });
});
