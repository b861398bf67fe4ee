import { parseUnits } from 'viem';
import { startLifiEmulator } from '../../devnet/emulators/lifi/start-lifi-emulator';
import type { HttpEmulator } from '../../devnet/emulators/http-emulator';
import { startZeroExEmulator } from '../../devnet/emulators/zero-ex/start-zero-ex-emulator';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { createLifiProvider } from '../../src/venues/providers/lifi/lifi';
import { createZeroExProvider } from '../../src/venues/providers/zero-ex/zero-ex';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from '../../src/venues/quote-provider';
import type { Rpc } from '../../src/rpc/rpc';
import { buildExecutable } from '../../src/transactions/execution/build-executable';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { fakeOutputs } from '../swaps/fake-outputs';
import { CUSTOMER } from '../swaps/swap-world';
import { localRequest, rpcOf } from './local-swaps';

const RECIPIENT = '0x00000000000000000000000000000000000A11cE';
const KEYS = { '0x-api-key': 'a key', '0x-version': 'v2' };

const aggregators = {
  '0x': {
    start: (universe: TestUniverse) => startZeroExEmulator({ chains: universe.chains }),
    create: (http: HttpClient, rpc: Rpc): QuoteProvider => createZeroExProvider({ http, rpc }),
    manipulations: ['recipient', 'target', 'spender', 'value'],
  },
  'LI.FI': {
    start: (universe: TestUniverse) => startLifiEmulator({ chains: universe.chains }),
    create: (http: HttpClient, rpc: Rpc): QuoteProvider => createLifiProvider({ http, rpc }),
    manipulations: ['recipient', 'target', 'spender', 'value'],
  },
};

describe.each(Object.entries(aggregators))(
  '%s with manipulated builds after an honest quote',
  (_, { start, create, manipulations }) => {
    let universe: TestUniverse;
    let emulator: HttpEmulator;
    let http: HttpClient;
    let rpc: Rpc;
    let provider: QuoteProvider;
    let requests: readonly QuoteRequest[];
    beforeAll(async () => {
      universe = await universeOfTests();
      rpc = rpcOf(universe.chains);
      emulator = await start(universe);
      http = createHttpClient({ baseUrl: emulator.url, headers: KEYS });
      provider = create(http, rpc);
      const [chain, l2] = [chainNamed(universe, 'devnet'), chainNamed(universe, 'devnet-l2')];
      const wallets = { chain, sender: universe.accounts[3]!.address, recipient: RECIPIENT } as const;
      requests = [
        localRequest({ ...wallets, pair: ['USDC', 'WETH'], amount: parseUnits('300', 6) }),
        localRequest({ ...wallets, pair: ['ETH', 'USDC'], amount: parseUnits('0.2', 18) }),
        localRequest({ ...wallets, destination: l2, pair: ['USDC', 'USDC'], amount: parseUnits('300', 6) }),
      ].filter((request) => provider.capabilities.supports(request));
    });
    afterEach(() => steer({ manipulate: null, worseBps: 0 }));
    afterAll(async () => {
      await http.close();
      await emulator.stop();
    });

    const signal = () => AbortSignal.timeout(10_000);
    const steer = (control: object) => http.post('/_control/quotes', control, signal());
    const execute = (request: QuoteRequest, offer: ProviderQuote) =>
      buildExecutable(
        { providers: [provider], rpc, ...fakeOutputs() },
        {
          request,
          offer,
          sender: request.originAddress!,
          recipient: RECIPIENT,
          signal: signal(),
          customerId: CUSTOMER,
          quoteId: uuidV7(),
          actionId: uuidV7(),
          output: 'bytecode',
          accountId: undefined,
          sponsored: false,
          deadline: new Date(Date.now() + 300_000),
        },
      );

    it('is executed without manipulation', async () => {
      expect(requests.length).toBeGreaterThan(1);
      for (const request of requests) {
        const offer = (await provider.quote(request, signal()))!;
        const built = await execute(request, offer);
        expect(built.simulation).toMatchObject({ status: 'SUCCESS' });
        expect(built.gasLimit).toBeLessThanOrEqual(offer.gasLimit * 2n);
      }
    });

    it.each(manipulations)('is refused with another %s', async (manipulate) => {
      for (const request of requests) {
        const offer = (await provider.quote(request, signal()))!;
        await steer({ manipulate });
        const outcome: unknown = await execute(request, offer).catch((error: unknown) => error);
        // Native coin has no spender.
        const hasNoEffect = manipulate === 'spender' && request.tokenIn.symbol === 'ETH';
        expect(outcome).toMatchObject(hasNoEffect ? { kind: 'calls' } : { code: 'BYTECODE_GENERATION_FAILED' });
        await steer({ manipulate: null });
      }
    });

    it('executes within the slippage after a small price change, and reports QUOTE_EXPIRED beyond it', async () => {
      for (const request of requests) {
        const offer = (await provider.quote(request, signal()))!;
        await steer({ worseBps: 20 });
        expect(await execute(request, offer)).toMatchObject({ simulation: { status: 'SUCCESS' } });
        await steer({ worseBps: 60 });
        await expect(execute(request, offer)).rejects.toMatchObject({ code: 'QUOTE_EXPIRED' });
        await steer({ worseBps: 0 });
      }
    });
  },
);
