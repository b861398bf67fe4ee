import { parseUnits } from 'viem';
import { startLifiEmulator } from '../../devnet/emulators/lifi/start-lifi-emulator';
import { NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';
import { executeLocally, localRequest, type LocalSwap, rpcOf } from './local-swaps';
import { describeQuoteProvider } from './quote-provider';
import { chainNamed, universeOfTests } from '../setup/universe-of-tests';
import { createHttpClient } from '../../src/http/http-client';
import { createLifiProvider } from '../../src/venues/providers/lifi/lifi';

const RECIPIENT = '0x00000000000000000000000000000000000A11cE';

describeQuoteProvider('LI.FI', async () => {
  const universe = await universeOfTests();
  const [chain, other] = [chainNamed(universe, 'devnet'), chainNamed(universe, 'devnet-l2')];
  const account = universe.accounts[0]!;
  const emulator = await startLifiEmulator({ chains: universe.chains, delayMs: 0 });
  const upstream = await startFaultyUpstream(emulator.url);
  const headers = { 'x-lifi-api-key': 'a key' };
  const http = createHttpClient({ baseUrl: upstream.url, headers, timeoutMs: NO_TIMEOUT_MS });
  const provider = createLifiProvider({ http, rpc: rpcOf(universe.chains) });
  const request = (swap: Pick<LocalSwap, 'pair' | 'side' | 'amount' | 'destination'>) =>
    localRequest({ chain, sender: account.address, recipient: RECIPIENT, ...swap });
  const across = (swap: Pick<LocalSwap, 'pair' | 'side' | 'amount'>) => request({ ...swap, destination: other });
  const within = request({ pair: ['WETH', 'USDC'], amount: parseUnits('1', 18) });
  return {
    provider,
    upstream,
    served: [
      within,
      request({ pair: ['ETH', 'BRLA'], amount: parseUnits('0.3', 18) }),
      request({ pair: ['RUSD', 'ETH'], amount: parseUnits('700', 6) }),
      across({ pair: ['USDC', 'USDC'], amount: parseUnits('100', 6) }),
      across({ pair: ['ETH', 'WETH'], amount: parseUnits('0.2', 18) }),
      across({ pair: ['WBTC', 'ETH'], amount: parseUnits('0.01', 8) }),
      // With an additional fee in native coin.
      across({ pair: ['BRLA', 'USDT'], amount: parseUnits('500', 18) }),
      across({ pair: ['ETH', 'USDT'], amount: parseUnits('0.1', 18) }),
    ],
    unroutable: [
      request({ pair: ['WETH', 'ISLE'], amount: 10n ** 18n }),
      request({ pair: ['TOLL', 'WETH'], amount: 10n ** 18n }),
      across({ pair: ['USDC', 'WBTC'], amount: parseUnits('100', 6) }),
    ],
    unsupported: [
      request({ pair: ['ETH', 'WETH'], amount: 1n }),
      across({ pair: ['USDC', 'USDC'], side: 'out', amount: 10n ** 6n }),
      { ...within, destination: { ...within.destination, chainId: 424_242 } },
      { ...within, origin: { ...within.origin, lifi: undefined } },
    ],
    execute: (parameters) => {
      const isWithin = parameters.request.destination.chainId === chain.chainId;
      return executeLocally({ chain, destination: isWithin ? chain : other, account, provider }, parameters);
    },
    async tearDown() {
      await http.close();
      await emulator.stop();
    },
  };
});
