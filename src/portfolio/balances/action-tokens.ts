import { z } from 'zod';
import type { Database } from '../../persistence/database';
import type { ChainToken, TokenSource } from './token-source';

/** Latest actions of all wallets of one query together. */
const MAX_ACTIONS = 4000;
/** Latest actions of one wallet. */
const MAX_ACTIONS_OF_WALLET = 500;

const rows = z.array(
  z.object({
    wallet: z.string(),
    chainId: z.bigint().transform((id) => Number.parseInt(id.toString(), 10)),
    token: z.string(),
    hasMore: z.boolean(),
  }),
);

/** The assets in and out of the latest actions of wallets. One query, which reads the actions of each wallet by index. */
export function createActionTokens({ database }: { readonly database: Pick<Database, '$queryRaw'> }): TokenSource {
  return {
    async tokensOf({ customerId, wallets, limit }) {
      const actions = Math.min(MAX_ACTIONS_OF_WALLET, Math.ceil(MAX_ACTIONS / Math.max(1, wallets.length)));
      const found = await database.$queryRaw`
        SELECT owner.wallet, moved."chainId", moved.token, counted.number > ${actions} AS "hasMore"
          FROM unnest(${[...wallets]}::text[]) AS owner (wallet)
         CROSS JOIN LATERAL (
           SELECT count(*) AS number
             FROM (SELECT 1 FROM "ActionParty" AS party
                    WHERE party."customerId" = ${customerId}::uuid AND party.wallet = owner.wallet AND NOT party."isDraft"
                    ORDER BY party."createdAt" DESC, party."actionId" DESC LIMIT ${actions + 1}) AS latest) AS counted
         CROSS JOIN LATERAL (
           SELECT asset."chainId", asset.token
             FROM (SELECT party."actionId", party."createdAt" FROM "ActionParty" AS party
                    WHERE party."customerId" = ${customerId}::uuid AND party.wallet = owner.wallet AND NOT party."isDraft"
                    ORDER BY party."createdAt" DESC, party."actionId" DESC LIMIT ${actions}) AS recent
             JOIN "Action" AS action ON action.id = recent."actionId"
            CROSS JOIN LATERAL (VALUES (action."chainIdIn", action."tokenIn"->>'address'),
                                       (action."chainIdOut", action."tokenOut"->>'address')) AS asset ("chainId", token)
            WHERE asset.token IS NOT NULL
            GROUP BY asset."chainId", asset.token
            ORDER BY max(recent."createdAt") DESC, asset."chainId", asset.token
            LIMIT ${limit + 1}) AS moved`;
      const byWallet = new Map<string, { tokens: ChainToken[]; isTruncated: boolean }>();
      for (const { wallet, chainId, token, hasMore } of rows.parse(found)) {
        const seen = byWallet.get(wallet) ?? { tokens: [], isTruncated: hasMore };
        if (seen.tokens.length < limit) seen.tokens.push({ chainId, token });
        else seen.isTruncated = true;
        byWallet.set(wallet, seen);
      }
      return byWallet;
    },
  };
}
