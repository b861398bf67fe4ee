import { z } from 'zod';
import { amountField, integerField, optionalField } from '../persistence/json-fields';
import { type ProviderQuote, TRANSFER_SPEEDS } from './quote-provider';

const transferSpeed = optionalField(z.enum(TRANSFER_SPEEDS));

const fee = z.object({
  kind: optionalField(z.literal('paymentRail')),
  label: z.string(),
  asset: z.enum(['tokenIn', 'tokenOut']),
  amount: amountField,
});

/** A provider's quote as it is stored, in JSON. */
const providerQuoteSchema = z.object({
  provider: z.string(),
  amountIn: amountField,
  maxAmountIn: amountField,
  expectedAmountOut: amountField,
  minAmountOut: amountField,
  route: z.array(
    z.object({
      protocol: z.string(),
      chainId: z.number(),
      tokenIn: z.string(),
      tokenOut: z.string(),
      shareBps: z.number(),
      pool: z.string(),
    }),
  ),
  priceImpactBps: optionalField(z.number()),
  gasLimit: integerField,
  estimatedDurationSeconds: z.number(),
  execution: z.unknown(),
  fees: optionalField(z.array(fee)),
  nativeFee: optionalField(integerField),
  transferSpeed,
});

export const providerQuoteJson = (offer: ProviderQuote): z.input<typeof providerQuoteSchema> => ({
  provider: offer.provider,
  amountIn: offer.amountIn.toString(),
  maxAmountIn: offer.maxAmountIn.toString(),
  expectedAmountOut: offer.expectedAmountOut.toString(),
  minAmountOut: offer.minAmountOut.toString(),
  route: [...offer.route],
  priceImpactBps: offer.priceImpactBps,
  gasLimit: offer.gasLimit.toString(),
  estimatedDurationSeconds: offer.estimatedDurationSeconds,
  execution: offer.execution,
  fees: offer.fees?.map((fee) => ({ ...fee, amount: fee.amount.toString() })),
  nativeFee: offer.nativeFee?.toString(),
  transferSpeed: offer.transferSpeed,
});

export const parseProviderQuote = (json: unknown): ProviderQuote => providerQuoteSchema.parse(json);
