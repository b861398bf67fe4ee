import { parseUnits } from 'viem';
import { startFaultyUpstream } from '../../../../test/contract/faulty-upstream';
import { executeLocally, localRequest, type LocalSwap, rpcOf } from '../../../../test/contract/local-swaps';
import { describeQuoteProvider } from '../../../../test/contract/quote-provider';
import { chainNamed, universeOfTests } from '../../../../test/setup/universe-of-tests';
import type { Rpc } from '../../../rpc/rpc';
import { createUniswapV2Provider } from './uniswap-v2';
import { localPools } from '../../../../test/contract/local-pools';

const RECIPIENT = '0x00000000000000000000000000000000000A11cE';
const providerOn = (rpc: Rpc) => createUniswapV2Provider(localPools(rpc));

describeQuoteProvider('Uniswap V2', async () => {
  const universe = await universeOfTests();
  const chain = chainNamed(universe, 'devnet');
  const account = universe.accounts[0]!;
  const upstream = await startFaultyUpstream(chain.rpcUrl);
  const provider = providerOn(rpcOf([chain], { devnet: upstream.url }));
  const request = (swap: Pick<LocalSwap, 'pair' | 'side' | 'amount'>) =>
    localRequest({ chain, sender: account.address, recipient: RECIPIENT, ...swap });
  return {
    provider,
    upstream,
    served: [
      request({ pair: ['WETH', 'USDC'], amount: parseUnits('1', 18) }),
      request({ pair: ['USDC', 'BRLA'], side: 'out', amount: parseUnits('500', 18) }),
      request({ pair: ['USDT', 'BRLA'], amount: parseUnits('250', 6) }),
      request({ pair: ['WBTC', 'DAI'], side: 'out', amount: parseUnits('900', 18) }),
      request({ pair: ['ETH', 'USDC'], amount: parseUnits('0.5', 18) }),
      request({ pair: ['ETH', 'USDC'], side: 'out', amount: parseUnits('77', 6) }),
      request({ pair: ['USDC', 'ETH'], amount: parseUnits('1234', 6) }),
      request({ pair: ['USDC', 'ETH'], side: 'out', amount: parseUnits('0.25', 18) }),
    ],
    unroutable: [
      request({ pair: ['WETH', 'ISLE'], amount: 10n ** 18n }),
      request({ pair: ['TOLL', 'WETH'], amount: 10n ** 18n }),
    ],
    tooMuch: [
      request({ pair: ['BRLA', 'WETH'], amount: parseUnits('10000000', 18) }),
      request({ pair: ['USDC', 'ETH'], amount: 2n ** 256n - 1n }),
      request({ pair: ['USDC', 'WETH'], side: 'out', amount: 10n ** 30n }),
      request({ pair: ['USDC', 'WETH'], side: 'out', amount: 2n ** 256n - 1n }),
    ],
    unsupported: [request({ pair: ['ETH', 'WETH'], amount: 1n })],
    execute: (parameters) => executeLocally({ chain, account, provider }, parameters),
  };
});
