import { parseUnits } from 'viem';
import { executeLocally, localRequest, type LocalSwap, rpcOf } from '../../../../test/contract/local-swaps';
import { describeQuoteProvider } from '../../../../test/contract/quote-provider';
import { chainNamed, universeOfTests } from '../../../../test/setup/universe-of-tests';
import { createWrapProvider } from './wrap';

const OTHER = '0x00000000000000000000000000000000000A11cE';
const AMOUNT = parseUnits('0.7', 18);

describeQuoteProvider('Wrapping', async () => {
  const universe = await universeOfTests();
  const chain = chainNamed(universe, 'devnet');
  const account = universe.accounts[0]!;
  const provider = createWrapProvider({ rpc: rpcOf([chain]) });
  const request = (swap: Pick<LocalSwap, 'pair' | 'side'>, recipient = account.address) =>
    localRequest({ chain, sender: account.address, recipient, amount: AMOUNT, ...swap });
  return {
    provider,
    upstream: undefined,
    served: [
      request({ pair: ['ETH', 'WETH'] }),
      request({ pair: ['ETH', 'WETH'], side: 'out' }),
      request({ pair: ['WETH', 'ETH'] }),
      request({ pair: ['ETH', 'WETH'] }, OTHER),
      request({ pair: ['WETH', 'ETH'], side: 'out' }, OTHER),
    ],
    unroutable: [],
    unsupported: [request({ pair: ['ETH', 'USDC'] }), request({ pair: ['WETH', 'USDC'] })],
    execute: (parameters) => executeLocally({ chain, account, provider }, parameters),
  };
});
