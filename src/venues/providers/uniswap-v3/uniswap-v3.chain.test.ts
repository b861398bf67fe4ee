import { parseUnits } from 'viem';
import { startFaultyUpstream } from '../../../../test/contract/faulty-upstream';
import { executeLocally, localRequest, type LocalSwap, rpcOf } from '../../../../test/contract/local-swaps';
import { describeQuoteProvider } from '../../../../test/contract/quote-provider';
import { chainNamed, universeOfTests } from '../../../../test/setup/universe-of-tests';
import type { Rpc } from '../../../rpc/rpc';
import { createUniswapV3Provider } from './uniswap-v3';
import { localPools } from '../../../../test/contract/local-pools';

const RECIPIENT = '0x00000000000000000000000000000000000A11cE';
const providerOn = (rpc: Rpc) => createUniswapV3Provider(localPools(rpc));

describeQuoteProvider('Uniswap V3', async () => {
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
      request({ pair: ['RUSD', 'WETH'], amount: parseUnits('1000', 6) }),
      request({ pair: ['ETH', 'USDC'], amount: parseUnits('0.5', 18) }),
      request({ pair: ['ETH', 'BRLA'], side: 'out', amount: parseUnits('77', 18) }),
      request({ pair: ['USDC', 'ETH'], amount: parseUnits('1234', 6) }),
      request({ pair: ['BRLA', 'ETH'], side: 'out', amount: parseUnits('0.25', 18) }),
    ],
    unroutable: [request({ pair: ['WETH', 'ISLE'], amount: 10n ** 18n })],
    tooMuch: [
      request({ pair: ['RUSD', 'USDC'], amount: parseUnits('600000', 6) }),
      request({ pair: ['USDC', 'WETH'], amount: parseUnits('100000000', 6) }),
      request({ pair: ['WETH', 'BRLA'], amount: 2n ** 256n - 1n }),
      // Exceeds the balance of all pools together.
      request({ pair: ['USDC', 'RUSD'], side: 'out', amount: 10n ** 30n }),
      request({ pair: ['WETH', 'USDC'], side: 'out', amount: 2n ** 256n - 1n }),
    ],
    unsupported: [request({ pair: ['ETH', 'WETH'], amount: 1n })],
    execute: (parameters) => executeLocally({ chain, account, provider }, parameters),
  };
});
