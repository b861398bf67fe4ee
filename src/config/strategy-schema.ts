import { z } from 'zod';
import { parseEvmAddress } from '../chains/addresses';

const address = z.string().transform((text, context) => {
  const parsed = parseEvmAddress(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'is not an EVM address with a valid checksum' });
  return z.NEVER;
});
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const name = z
  .string()
  .regex(NAME, 'must have at most 128 letters, digits, ".", "_", ":" or "-", and begin with a letter or digit');
const MAX_METADATA_CHARACTERS = 10_000;
const metadata = z
  .record(z.string(), z.json())
  .refine((value) => JSON.stringify(value).length <= MAX_METADATA_CHARACTERS, {
    error: `must have at most ${String(MAX_METADATA_CHARACTERS)} characters as JSON`,
  });

/** A strategy as `STRATEGIES_FILE` describes it. Meaning and units as in `StrategyRow`. */
export const strategySchema = z.strictObject({
  id: name,
  aliases: z.array(name).max(20).default([]),
  protocol: z.enum(['aave-v3', 'erc4626', 'erc7540', 'compound-v3', 'tokenized-stock']),
  brand: z.string().min(1).max(100),
  chainId: z.int().nonnegative(),
  market: address,
  underlying: address,
  startDate: z.iso.date('must be a date such as 2026-01-31'),
  isMarketStart: z.boolean().optional(),
  categories: z.array(name).max(20).default([]),
  isDefault: z.boolean().default(false),
  paused: z.boolean().default(false),
  trustMax: z.boolean().default(true),
  knownFeeBps: z.int().min(0).max(10_000).default(0),
  priceFeed: address.optional(),
  rewards: address.optional(),
  metadata: metadata.default({}),
  logoURI: z.url({ protocol: /^https?$/ }).optional(),
});

export type ConfiguredStrategy = Readonly<z.infer<typeof strategySchema>>;
