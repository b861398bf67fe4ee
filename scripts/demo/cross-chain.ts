import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import { formatBaseUnits } from '../../src/money/base-units';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';
import { callsSchema } from './wallet';

const ORIGIN = 'devnet';
const DESTINATION = 'devnet-l2';
const DECIMALS = 6;

export const executableQuote = z.object({
  id: z.string(),
  quote: z.object({ provider: z.string(), expectedAmountOut: z.string(), estimatedDurationSeconds: z.number() }),
  transactions: callsSchema,
});

/** Sends USDC to another chain, once through each bridge. */
export async function demonstrateCrossChain(demo: Demo): Promise<void> {
  for (const provider of ['across', 'cctp', 'lifi']) await transfer(demo, provider);
}

async function transfer(demo: Demo, preferredProvider: string): Promise<void> {
  const { api } = demo;
  const [wallet, there] = [demo.wallet(ORIGIN), demo.wallet(DESTINATION)];
  const tokenOut = demo.evmToken(DESTINATION, 'USDC');
  console.log(`\n100 USDC from ${ORIGIN} to ${DESTINATION} through ${preferredProvider}, as ${wallet.address}`);
  const before = await there.balanceOf(tokenOut);
  const { id, quote, transactions } = executableQuote.parse(
    await api.get('/v2/swap/quote', {
      originChain: ORIGIN,
      destinationChain: DESTINATION,
      amountIn: '100000000',
      preferredProvider,
      tokenIn: demo.evmToken(ORIGIN, 'USDC'),
      tokenOut,
      originAddress: wallet.address,
      destinationAddress: wallet.address,
    }),
  );
  const promised = formatBaseUnits(BigInt(quote.expectedAmountOut), DECIMALS);
  console.log(`  quote: ${promised} USDC in about ${String(quote.estimatedDurationSeconds)} s`);
  console.log(`  action ${id}: ${String(transactions.length)} transaction(s) to sign`);
  await sendAndFollow({ api, id }, () => wallet.send(transactions));
  const received = (await there.balanceOf(tokenOut)) - before;
  console.log(`  received ${formatBaseUnits(received, DECIMALS)} USDC on ${DESTINATION}`);
  if (received <= 0n) throw new InvariantError('nothing arrived');
}
