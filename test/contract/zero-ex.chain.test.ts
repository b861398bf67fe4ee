import { parseUnits } from 'viem';
import { startZeroExEmulator } from '../../devnet/emulators/zero-ex/start-zero-ex-emulator';
import { NO_TIMEOUT_MS, startFaultyUpstream } from './faulty-upstream';
import { executeLocally, localRequest, type LocalSwap, rpcOf } from './local-swaps';
import { describeQuoteProvider } from './quote-provider';
import { chainNamed, universeOfTests } from '../setup/universe-of-tests';
import { createHttpClient } from '../../src/http/http-client';
import { createZeroExProvider } from '../../src/venues/providers/zero-ex/zero-ex';

const RECIPIENT = '0x00000000000000000000000000000000000A11cE';

describeQuoteProvider('0x', async () => {
  const universe = await universeOfTests();
  const chain = chainNamed(universe, 'devnet');
  const account = universe.accounts[0]!;
  const emulator = await startZeroExEmulator({ chains: universe.chains });
  const upstream = await startFaultyUpstream(emulator.url);
  const headers = { '0x-api-key': 'a key', '0x-version': 'v2' };
  const http = createHttpClient({ baseUrl: upstream.url, headers, timeoutMs: NO_TIMEOUT_MS });
  const provider = createZeroExProvider({ http, rpc: rpcOf([chain]) });
  const request = (swap: Pick<LocalSwap, 'pair' | 'side' | 'amount'>) =>
    localRequest({ chain, sender: account.address, recipient: RECIPIENT, ...swap });
  const toOneself = request({ pair: ['DAI', 'WETH'], amount: parseUnits('400', 18) });
  return {
    provider,
    upstream,
    served: [
      request({ pair: ['WETH', 'USDC'], amount: parseUnits('1', 18) }),
      // Exceeds the depth of one pool, so that it is split.
      request({ pair: ['WETH', 'USDT'], amount: parseUnits('60', 18) }),
      request({ pair: ['USDT', 'BRLA'], amount: parseUnits('250', 6) }),
      request({ pair: ['WETH', 'BRLA'], amount: parseUnits('1.5', 18) }),
      request({ pair: ['RUSD', 'WETH'], amount: parseUnits('1000', 6) }),
      request({ pair: ['ETH', 'USDC'], amount: parseUnits('0.5', 18) }),
      request({ pair: ['USDC', 'ETH'], amount: parseUnits('1234', 6) }),
      { ...toOneself, destinationAddress: account.address },
    ],
    unroutable: [
      request({ pair: ['WETH', 'ISLE'], amount: 10n ** 18n }),
      request({ pair: ['TOLL', 'WETH'], amount: 10n ** 18n }),
      request({ pair: ['USDC', 'WETH'], amount: 2n ** 255n }),
    ],
    unsupported: [
      request({ pair: ['ETH', 'WETH'], amount: 1n }),
      request({ pair: ['WETH', 'USDC'], side: 'out', amount: 10n ** 6n }),
      { ...toOneself, destination: { ...toOneself.destination, chainId: 31_338 } },
      { ...toOneself, origin: { ...toOneself.origin, zeroEx: undefined } },
    ],
    execute: (parameters) => executeLocally({ chain, account, provider }, parameters),
    async tearDown() {
      await http.close();
      await emulator.stop();
    },
  };
});
