import { z } from 'zod';
import { parseAddress, parseEvmAddress } from '../chains/addresses';

const address = z.string().transform((text, context) => {
  const parsed = parseEvmAddress(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'is not an EVM address with a valid checksum' });
  return z.NEVER;
});

const feedIds = z.array(z.strictObject({ token: z.string(), id: z.string().regex(/^0x[0-9a-f]{64}$/) })).max(100);
const chainlinkFeed = z.strictObject({
  token: address,
  feed: address,
  heartbeatSeconds: z.int().positive(),
  deviationBps: z.int().min(0).max(10_000),
});
const priceSources = z.strictObject({
  minPoolDepthUsd: z.int().positive().optional(),
  chainlink: z
    .strictObject({ sequencerUptimeFeed: address.optional(), feeds: z.array(chainlinkFeed).max(100) })
    .optional(),
  defiLlama: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/)
    .optional(),
  coinGecko: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/)
    .optional(),
  pyth: feedIds.optional(),
});

const describedChain = z.strictObject({
  slug: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
  chainId: z.int().nonnegative(),
  kind: z.enum(['evm', 'solana', 'bitcoin']),
  name: z.string().min(1),
  nativeCurrency: z.strictObject({ name: z.string(), symbol: z.string(), decimals: z.int().min(0).max(36) }),
  explorer: z.strictObject({ name: z.string(), url: z.url() }).optional(),
  logoURI: z.url({ protocol: /^https?$/ }).optional(),
  confirmations: z.int().min(1).default(1),
  wrappedNative: address.optional(),
  connectors: z.array(address).max(8).default([]),
  dollarTokens: z.array(address).default([]),
  uniswapV2: z.strictObject({ factory: address, router: address }).optional(),
  uniswapV3: z.strictObject({ factory: address, router: address, quoter: address }).optional(),
  across: z.strictObject({ spokePool: address, multicallHandler: address.optional() }).optional(),
  cctp: z
    .strictObject({
      domain: z.int().nonnegative(),
      tokenMessenger: address,
      messageTransmitter: address,
      usdc: address,
      fastSource: z.boolean(),
    })
    .optional(),
  paymaster: address.optional(),
  collectionRegistry: address.optional(),
  custodyAsset: z.string().min(1).optional(),
  isNitro: z.boolean().optional(),
  ramps: z
    .strictObject({
      primary: z.enum(['POLYGON', 'BASE', 'ETHEREUM', 'CELO', 'GNOSIS', 'SOLANA']).optional(),
      secondary: z.enum(['polygon', 'base']).optional(),
    })
    .optional(),
  jupiter: z.strictObject({ program: z.string() }).optional(),
  zeroEx: z.strictObject({ allowanceHolder: address }).optional(),
  lifi: z.strictObject({ diamond: address }).optional(),
  strategyRouter: address.optional(),
  prices: priceSources.optional(),
  tokens: z
    .array(
      z.strictObject({
        address: z.string(),
        symbol: z.string(),
        name: z.string(),
        decimals: z.int().min(0).max(36),
        logoURI: z.string().optional(),
      }),
    )
    .default([]),
  rpcUrl: z.url().optional(),
});

/** A chain as `CHAINS_FILE` describes it. Shapes and units as in `Chain`. */
export const chainSchema = describedChain.transform((chain, context) => {
  const { kind, prices } = chain;
  const pyth = prices?.pyth?.map(({ token, id }, index) => {
    // Bitcoin itself is no address; addresses must have the spelling under which tokens are looked up.
    const canonical = kind === 'bitcoin' ? token : parseAddress(kind, token);
    if (canonical !== undefined) return { token: canonical, id };
    const path = ['prices', 'pyth', index, 'token'];
    context.addIssue({ code: 'custom', path, message: 'is not a token address of its chain' });
    return z.NEVER;
  });
  return { ...chain, prices: prices && { ...prices, pyth } };
});
