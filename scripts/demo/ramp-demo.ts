import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import { formatBaseUnits } from '../../src/money/base-units';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';
import { callsSchema } from './wallet';

/** Chain of the tokens in the demos. */
export const CHAIN = 'devnet';

const FIAT_DECIMALS = 2;

const rampQuote = z.object({
  id: z.string(),
  quote: z.object({ provider: z.string(), expectedAmountOut: z.string() }),
  transactions: callsSchema,
});

const endedAction = z.object({
  failureReason: z.string().nullish(),
  amounts: z.object({ assetOut: z.object({ amountHumanized: z.string(), currency: z.string() }) }),
  refund: z
    .object({
      amountHumanized: z.string(),
      receiverAddress: z.string(),
      txHash: z.string(),
      token: z.object({ symbol: z.string() }),
    })
    .nullish(),
});

export interface OffRamp {
  readonly symbol: string;
  /** Amount of the token. */
  readonly decimals: number;
  /** In base units of the token. */
  readonly amountIn: bigint;
  readonly currency: 'BRL' | 'USD';
  /** Payout fields, as parameters of the quote route. */
  readonly payout: Readonly<Record<string, string>>;
}

/** Sells tokens for fiat: one transfer to sign, then the ramp pays out or refunds the tokens. */
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
      originChain: CHAIN,
      destinationChain: 'fiat',
      tokenIn,
      tokenOut: currency,
      originAddress: wallet.address,
      amountIn: amountIn.toString(),
      ...payout,
    }),
  );
  const promised = formatBaseUnits(BigInt(quote.expectedAmountOut), FIAT_DECIMALS);
  const sold = `${formatBaseUnits(amountIn, decimals)} ${symbol}`;
  console.log(`\n${sold} for ${promised} ${currency} ${railOf(payout)} through ${quote.provider}`);
  if (expected === 'REFUNDED') console.log('  the bank rejects this payout');
  console.log(`  action ${id}: ${toSign(transactions.length)}`);
  const before = await wallet.balanceOf(tokenIn);
  await sendAndFollow({ api, id, expected }, () => wallet.send(transactions));
  const spent = before - (await wallet.balanceOf(tokenIn));
  await printEnd(demo, id);
  console.log(`  ${formatBaseUnits(spent, decimals)} ${symbol} left the wallet in all`);
  if (spent !== (expected === 'SUCCESS' ? amountIn : 0n))
    throw new InvariantError('the transaction has another amount');
}

const railOf = ({ pixKey, usdPaymentMethod = 'WIRE' }: OffRamp['payout']): string =>
  pixKey === undefined ? (usdPaymentMethod === 'ACH' ? 'by ACH' : 'by wire') : 'by Pix';

const toSign = (count: number): string =>
  count === 1 ? '1 transaction to sign' : `${String(count)} transactions to sign, approvals first`;

/** Prints the payout, or the refund with its recipient. */
async function printEnd({ api }: Demo, id: string): Promise<void> {
  const { amounts, failureReason, refund } = endedAction.parse(await api.get(`/actions/${id}`, {}));
  const { amountHumanized, currency } = amounts.assetOut;
  if (refund === undefined || refund === null) {
    console.log(`  paid out: ${amountHumanized} ${currency}`);
    return;
  }
  const { token, receiverAddress, txHash } = refund;
  console.log(
    `  ${failureReason ?? 'It failed'}: ${refund.amountHumanized} ${token.symbol} were refunded to ${receiverAddress}`,
  );
  console.log(`  in the transaction ${txHash}`);
}
