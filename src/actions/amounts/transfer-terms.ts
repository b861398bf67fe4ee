import { z } from 'zod';
import { formatUsd, parseUsd } from '../../money/usd';
import type { Token } from '../../tokens/token';
import type { TransferTerms } from '../../transactions/action-plan';

const amount = z
  .string()
  .regex(/^[0-9]+$/)
  .transform(BigInt);

/** A token, as actions and deliveries store it. */
export const storedToken = z
  .object({
    chainId: z.number(),
    address: z.string(),
    symbol: z.string(),
    name: z.string(),
    decimals: z.int(),
    logoURI: z.string().optional(),
  })
  .transform(({ logoURI, ...token }): Token => ({ ...token, logoURI }));

const schema = z.object({
  tokenIn: storedToken,
  tokenOut: storedToken,
  amountIn: amount,
  amountInUsd: z
    .string()
    .optional()
    .transform((text) => (text === undefined ? undefined : parseUsd(text))),
  amountOut: amount,
  minAmountOut: amount,
  receiverAddress: z.string(),
  entryFeeBps: z.int().optional(),
});

/** The terms as JSON. */
export const termsJson = ({ amountInUsd, entryFeeBps, ...terms }: TransferTerms) => ({
  tokenIn: tokenJson(terms.tokenIn),
  tokenOut: tokenJson(terms.tokenOut),
  amountIn: terms.amountIn.toString(),
  ...(amountInUsd === undefined ? {} : { amountInUsd: formatUsd(amountInUsd) }),
  amountOut: terms.amountOut.toString(),
  minAmountOut: terms.minAmountOut.toString(),
  receiverAddress: terms.receiverAddress,
  ...(entryFeeBps === undefined ? {} : { entryFeeBps }),
});

const tokenJson = ({ chainId, address, symbol, name, decimals, logoURI }: Token) => ({
  chainId,
  address,
  symbol,
  name,
  decimals,
  ...(logoURI === undefined ? {} : { logoURI }),
});

/** What a transfer within an action moves, where that differs from the action. `undefined` when the transfer is the whole action. */
export const parseTerms = (json: unknown): TransferTerms | undefined =>
  json === null || json === undefined ? undefined : schema.parse(json);
