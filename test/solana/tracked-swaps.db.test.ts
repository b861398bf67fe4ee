import { Keypair } from '@solana/web3.js';
import { type JupiterEmulator, startJupiterEmulator } from '../../devnet/emulators/jupiter/start-jupiter-emulator';
import { fromBase58 } from '../../devnet/solana/base58';
import { newCustomer, sampleAction, sampleQuote } from '../actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { type LocalSolana, startLocalSolana } from './local-solana';
import { solanaTracker, localSolanaToken } from './solana-actions';
import type { Chain } from '../../src/chains/chain';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { toBaseUnits } from '../../src/money/base-units';
import { parseSlippage } from '../../src/money/slippage';
import { createJupiterProvider } from '../../src/venues/providers/jupiter/jupiter';
import type { QuoteProvider, QuoteRequest, SolanaProgramCall } from '../../src/venues/quote-provider';
import { createSolanaRpc, type SolanaRpc } from '../../src/rpc/solana/solana-rpc';
import { actionIdForQuote } from '../../src/transactions/action-id';
import { buildSolanaTransaction } from '../../src/transactions/execution/solana/build-transaction';
import { startAction } from '../../src/actions/start-action';

const FINAL = 5;
const { signal } = new AbortController();
let local: LocalSolana;
let emulator: JupiterEmulator;
let http: HttpClient;
let solana: SolanaRpc;
let provider: QuoteProvider;
let test: TestDatabase;
let tracker: ReturnType<typeof solanaTracker>;

beforeAll(async () => {
  [local, test] = await Promise.all([startLocalSolana(), createTestDatabase()]);
  const { rpcUrl, tokens, accounts } = local.validator;
  emulator = await startJupiterEmulator({
    rpcUrl,
    prices: { SOL: 150, USDC: 1, BRZ: 0.18, BRS: 0.18 },
    venueSecretKey: fromBase58(accounts.at(-1)!.secretKey),
    tokens: tokens.map(({ address, symbol, decimals }) => ({ mint: address, symbol, decimals })),
  });
  await local.advance(1); // addresses added to a lookup table are usable in the next slot
  http = createHttpClient({ baseUrl: emulator.url });
  solana = createSolanaRpc({ chains: local.chains(), log: { warn: () => undefined } });
  provider = createJupiterProvider({ http, solana });
  tracker = solanaTracker({ local, solana, database: test.database });
});
afterAll(async () => {
  await Promise.all([http.close(), solana.close(), test.drop()]);
  await emulator.stop();
  await local.stop();
});

/** Creates the action of a swap, and signs and sends its transaction. Returns the executed offer. */
async function swap(pair: readonly [string, string], amount: bigint, recipient: string) {
  const chain: Chain = { ...local.chain(), jupiter: { program: emulator.program } };
  const [tokenIn, tokenOut] = [localSolanaToken(local, pair[0]), localSolanaToken(local, pair[1])];
  const sender = local.alice.publicKey.toBase58();
  const request: QuoteRequest = {
    origin: chain,
    destination: chain,
    tokenIn,
    tokenOut,
    side: 'in',
    amount: toBaseUnits(amount),
    slippage: parseSlippage('0.01')!,
    originAddress: sender,
    destinationAddress: recipient,
  };
  const quote = (await provider.quote(request, signal))!;
  const program = await provider.build({ request, quote, sender, recipient, deadline: 0 }, signal);
  const customerId = newCustomer();
  const quoteId = await sampleQuote(test.database, customerId);
  const id = actionIdForQuote(quoteId);
  const built = await buildSolanaTransaction(
    { solana },
    { program: program as SolanaProgramCall, actionId: id, signal },
  );
  expect(built.simulation).toEqual({ status: 'SUCCESS', reason: undefined });
  const { chainId } = chain;
  const plan = sampleAction({
    customerId,
    quoteId,
    provider: 'jupiter',
    originAddress: sender,
    receiverAddress: recipient,
    tokenIn,
    tokenOut,
    chainIdIn: chainId,
    chainIdOut: chainId,
    amountIn: quote.amountIn,
    amountOut: quote.expectedAmountOut,
    minAmountOut: quote.minAmountOut,
    steps: [{ kind: 'SWAP', operator: 'USER', protocol: 'jupiter', chainId }],
    calls: [{ stepIndex: 0, chainId, form: 'REFERENCE', sender, target: built.reference, data: '0x', value: 0n }],
  });
  await test.database.$transaction((tx) => startAction(tx, plan));
  await local.sign(built.rawTransaction, local.alice);
  return { id, quote };
}

describe('a swap on Solana', () => {
  it.each([
    ['USDC', 'BRZ', 5_000_000n],
    ['SOL', 'USDC', 2_000_000_000n],
    ['USDC', 'SOL', 30_000_000n],
  ])('of %s for %s ends with the exact amounts sold and bought', async (tokenIn, tokenOut, amount) => {
    for (const isForAnother of [false, true]) {
      const recipient = isForAnother ? Keypair.generate().publicKey : local.alice.publicKey;
      const { id, quote } = await swap([tokenIn, tokenOut], amount, recipient.toBase58());
      await local.advance(FINAL);
      await tracker.run();
      const action = await test.database.action.findUniqueOrThrow({ where: { id } });
      expect(action.status).toBe('SUCCESS');
      expect(action.amountIn.toFixed()).toBe(amount.toString());
      // A recipient that unwraps SOL from an account opened by the sender also receives the account's rent.
      const deposit = isForAnother && tokenOut === 'SOL' ? 2_039_280n : 0n;
      expect(action.amountOut.toFixed()).toBe((quote.expectedAmountOut + deposit).toString());
    }
  });
});
