import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseAddress } from '../chains/addresses';
import type { Chain, ListedToken } from '../chains/chain';
import { describeIssue } from './describe-issue';

/** The used part of the Uniswap token list format. */
const tokenListSchema = z.object({
  tokens: z.array(
    z.object({
      chainId: z.int().nonnegative(),
      address: z.string(),
      symbol: z.string().min(1).max(64),
      name: z.string().min(1).max(128),
      decimals: z.int().min(0).max(255),
      logoURI: z.string().optional(),
    }),
  ),
});

type TokenList = z.infer<typeof tokenListSchema>['tokens'];

/**
 * Adds the tokens of the comma-separated list files in `files` to their chains. A chain's own tokens have precedence, then
 * those of the earlier list. Tokens of unknown chains and invalid addresses are skipped, since public lists cover more
 * chains; an invalid file is appended to `problems`.
 *
 * @see https://tokenlists.org
 */
export function withTokenLists(
  chains: readonly Chain[],
  files: string | undefined,
  problems: string[],
): readonly Chain[] {
  const listed = (files ?? '')
    .split(',')
    .flatMap((file) => (file.trim() === '' ? [] : readList(file.trim(), problems)));
  if (listed.length === 0) return chains;
  return chains.map((chain) => ({ ...chain, tokens: merged(chain, listed) }));
}

function merged(chain: Chain, listed: TokenList): readonly ListedToken[] {
  const byAddress = new Map(chain.tokens.map((token) => [token.address, token]));
  for (const { chainId, address, ...token } of listed) {
    const parsed = chainId === chain.chainId ? parseAddress(chain.kind, address) : undefined;
    if (parsed !== undefined && !byAddress.has(parsed)) byAddress.set(parsed, { address: parsed, ...token });
  }
  return [...byAddress.values()];
}

function readList(file: string, problems: string[]): TokenList {
  try {
    const parsed = tokenListSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')), { error: describeIssue });
    if (parsed.success) return parsed.data.tokens;
    const [first] = parsed.error.issues;
    problems.push(
      `TOKEN_LIST_FILES: ${file} is not a token list: ${first?.path.join('.') ?? ''} ${first?.message ?? ''}`,
    );
  } catch (error) {
    problems.push(`TOKEN_LIST_FILES: ${error instanceof Error ? error.message : String(error)}`);
  }
  return [];
}
