import { z } from 'zod';
import { formatBaseUnits } from '../../src/money/base-units';
import type { DemoSwap } from './demo-swap';
import { type Progress, sendAndFollow } from './follow-action';
import { callsSchema } from './wallet';

const quoteSchema = z.object({
  quote: z.object({
    quoteId: z.string(),
    provider: z.string(),
    expectedAmountOut: z.string(),
    deadlineDate: z.string(),
  }),
});
const bytecodeSchema = z.object({ id: z.string(), transactionData: callsSchema });

/** Quote, transaction, signature and SUCCESS through the REST contract. */
export async function swapThroughRest({ api, wallet, pair }: DemoSwap): Promise<readonly Progress[]> {
  console.log('\nThrough REST');
  const { quote } = quoteSchema.parse(
    await api.get('/v2/swap/quote', {
      originChain: pair.chain,
      destinationChain: pair.chain,
      amountIn: pair.amountIn,
      tokenIn: pair.tokenIn,
      tokenOut: pair.tokenOut,
    }),
  );
  const promised = formatBaseUnits(BigInt(quote.expectedAmountOut), pair.decimalsOut);
  console.log(
    `  quote ${quote.quoteId}: ${promised} ${pair.symbolOut} by ${quote.provider}, until ${quote.deadlineDate}`,
  );
  const { id, transactionData } = bytecodeSchema.parse(
    await api.post('/v2/swap/bytecode', {
      quoteId: quote.quoteId,
      originAddress: wallet.address,
      destinationAddress: wallet.address,
    }),
  );
  console.log(`  action ${id}: ${transactionData.length} transaction(s) to sign`);
  return sendAndFollow({ api, id }, async () => {
    console.log(`  sent ${(await wallet.send(transactionData)).join(', ')}`);
  });
}
