import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import { formatBaseUnits } from '../../src/money/base-units';
import type { Demo } from './demo';
import { followAction } from './follow-action';
import { callsSchema } from './wallet';

/** Chain on which the demonstrations pay out and in. */
export const CHAIN = 'devnet';

const FIAT_DECIMALS = 2;

const rampQuote = z.object({
  id: z.string(),
  quote: z.object({ provider: z.string(), expectedAmountOut: z.string() }),
  transactions: callsSchema,
});

export interface OffRamp {
  readonly symbol: string;
  /** Of the token. */
  readonly decimals: number;
  /** In base units of the token. */
  readonly amountIn: bigint;
  readonly currency: 'BRL' | 'USD';
  /** Where it is paid to, as the quote route takes it. */
  readonly payout: Readonly<Record<string, string>>;
}

/** Tokens to a bank: one transfer to sign, and the ramp pays out; or sends the tokens back. */
export async function demonstrateOffRamp(
  demo: Demo,
  order: OffRamp,
  expected: 'SUCCESS' | 'REFUNDED' = 'SUCCESS',
): Promise<void> {
  const { api } = demo;
  const { symbol, decimals, amountIn, currency, payout } = order;
  const [wallet, tokenIn] = [demo.wallet(CHAIN), demo.evmToken(CHAIN, symbol)];
  const { id, quote, transactions } = rampQuote.parse(
    await api.get('/v2/swap/quote', {
      ...{ originChain: CHAIN, destinationChain: 'fiat', tokenIn, tokenOut: currency, originAddress: wallet.address },
      ...{ amountIn: amountIn.toString(), ...payout },
    }),
  );
  const promised = formatBaseUnits(BigInt(quote.expectedAmountOut), FIAT_DECIMALS);
  console.log(
    `\n${formatBaseUnits(amountIn, decimals)} ${symbol} for ${promised} ${currency} through ${quote.provider}`,
  );
  console.log(`  action ${id}: ${String(transactions.length)} transaction to sign`);
  const before = await wallet.balanceOf(tokenIn);
  const following = followAction(api, id, expected);
  await wallet.send(transactions);
  await following;
  const spent = before - (await wallet.balanceOf(tokenIn));
  console.log(`  ${formatBaseUnits(spent, decimals)} ${symbol} left the wallet`);
  if (spent !== (expected === 'SUCCESS' ? amountIn : 0n)) throw new InvariantError('that is another amount');
}
