import { bridgedChainsOf } from '../../devnet/emulators/across/bridged-chains';
import { startAcrossEmulator } from '../../devnet/emulators/across/start-across-emulator';
import { createHttpClient } from '../../src/http/http-client';
import { createAcrossProvider } from '../../src/venues/providers/across/across';
import type { ProviderExecution } from '../../src/venues/quote-provider';
import { chainNamed, universeOfTests } from '../setup/universe-of-tests';
import { NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';
import { executeLocally, localRequest, rpcOf } from './local-swaps';
import { describeQuoteProvider } from './quote-provider';

/** Removes the time of the quote and the deadline, in which two equal deposits differ. */
const withoutTimes = (execution: ProviderExecution): unknown => {
  if (execution.kind !== 'call') return execution;
  const argument = (index: number): number => 10 + 64 * index;
  const { data } = execution;
  return { ...execution, data: [data.slice(0, argument(8)), data.slice(argument(10))] };
};

describeQuoteProvider('across', async () => {
  const universe = await universeOfTests();
  const [here, there] = [chainNamed(universe, 'devnet'), chainNamed(universe, 'devnet-l2')];
  const emulator = await startAcrossEmulator({ chains: bridgedChainsOf(universe.chains), fillDelayMs: 0 });
  const upstream = await startFaultyUpstream(emulator.url);
  const http = createHttpClient({ baseUrl: upstream.url, timeoutMs: NO_TIMEOUT_MS });
  const provider = createAcrossProvider({ http, rpc: rpcOf(universe.chains), integratorId: '0x00af' });
  const [account, recipient] = [universe.accounts[3]!, universe.accounts[4]!.address];
  const sender = account.address;
  const transfer = (pair: readonly [string, string], amount: bigint) =>
    localRequest({ chain: here, destination: there, pair, amount, sender, recipient });
  return {
    provider,
    upstream,
    served: [
      transfer(['USDC', 'USDC'], 250_000_000n),
      transfer(['USDT', 'USDT'], 1_000_000_000n),
      transfer(['ETH', 'ETH'], 2n * 10n ** 18n),
      transfer(['WETH', 'ETH'], 10n ** 18n),
      // An account receives the wrapped coin only through a message, which the provider has to decode.
      transfer(['WETH', 'WETH'], 10n ** 18n),
      transfer(['ETH', 'WETH'], 3n * 10n ** 17n),
      localRequest({
        chain: there,
        destination: here,
        pair: ['USDC', 'USDC'],
        amount: 10_000_000n,
        sender,
        recipient: sender,
      }),
    ],
    unroutable: [transfer(['USDC', 'DAI'], 10n ** 9n), transfer(['ISLE', 'ISLE'], 10n ** 18n)],
    unsupported: [
      localRequest({ chain: here, pair: ['USDC', 'DAI'], amount: 10n ** 9n, sender, recipient }),
      localRequest({
        chain: here,
        destination: there,
        pair: ['USDC', 'USDC'],
        side: 'out',
        amount: 10n ** 9n,
        sender,
        recipient,
      }),
    ],
    tooMuch: [transfer(['USDC', 'USDC'], 10n ** 15n), transfer(['ETH', 'ETH'], 10n ** 24n)],
    tooLittle: [transfer(['USDC', 'USDC'], 1000n), transfer(['WETH', 'ETH'], 10n ** 12n)],
    comparable: withoutTimes,
    execute(parameters) {
      const chain = parameters.request.origin.chainId === here.chainId ? here : there;
      return executeLocally({ chain, destination: chain === here ? there : here, account, provider }, parameters);
    },
    async tearDown() {
      await http.close();
      await emulator.stop();
    },
  };
});
