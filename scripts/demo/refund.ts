import { InvariantError } from '../../src/errors/invariant-error';
import { formatBaseUnits } from '../../src/money/base-units';
import { executableQuote } from './cross-chain';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';

/** Sends a transfer that no relayer fills: it expires and is refunded. */
export async function demonstrateRefund(demo: Demo): Promise<void> {
  const { api } = demo;
  const [wallet, tokenIn] = [demo.wallet('devnet'), demo.evmToken('devnet', 'USDC')];
  console.log('40 USDC from devnet to devnet-l2 through across, whose relayers let it expire');
  await demo.control('across', '/_control/relayer', { mode: 'expire' });
  try {
    const { id, transactions } = executableQuote.parse(
      await api.get('/v2/swap/quote', {
        originChain: 'devnet',
        destinationChain: 'devnet-l2',
        amountIn: '40000000',
        preferredProvider: 'across',
        tokenIn,
        tokenOut: demo.evmToken('devnet-l2', 'USDC'),
        originAddress: wallet.address,
        destinationAddress: wallet.address,
      }),
    );
    const before = await wallet.balanceOf(tokenIn);
    await sendAndFollow({ api, id, expected: 'REFUNDED' }, () => wallet.send(transactions));
    const lost = before - (await wallet.balanceOf(tokenIn));
    console.log(
      `  ${lost === 0n ? 'the whole amount was refunded' : `${formatBaseUnits(lost, 6)} USDC were not refunded`}`,
    );
    if (lost !== 0n) throw new InvariantError('the refund is not complete');
  } finally {
    await demo.control('across', '/_control/relayer', { mode: 'normal' });
  }
}
