import { type Actor, recordAudit } from '../../auth/audit-log';
import type { CustomerId } from '../../auth/principal';
import { assertNotBlocked } from '../../auth/sanctions';
import { isNativeToken, parseAddress } from '../../chains/addresses';
import type { Chain, ChainKind } from '../../chains/chain';
import { unknownChainProblem } from '../../chains/chain-table';
import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import type { Database } from '../../persistence/database';
import type { TokenInspector } from '../../tokens/token-registry';
import { type ChainDeps, isServed } from './wallet-chains';

/** Tokens that a customer may pin to one wallet. */
export const MAX_PINNED_TOKENS = 100;

/** A token that is always among the balances of a wallet. */
export interface PinnedToken {
  readonly chainId: number;
  /** Canonical address. */
  readonly token: string;
  readonly pinnedAt: Date;
}

export interface PinDeps extends ChainDeps {
  readonly database: Database;
  readonly tokens: Pick<TokenInspector, 'inspect'>;
  readonly blockedAddresses: ReadonlySet<string>;
}

export interface PinRequest {
  readonly customerId: CustomerId;
  /** Canonical address. */
  readonly wallet: string;
  readonly chainId: number;
  readonly token: string;
  /** The user of the dashboard who requests it. */
  readonly actor?: Actor | undefined;
}

/**
 * Pins a token to a wallet, and registers the wallet for the customer. Idempotent.
 *
 * @throws VALIDATION_ERROR for a chain or token that does not exist, FORBIDDEN for blocked addresses,
 *   PINNED_TOKEN_LIMIT_REACHED, PROVIDER_UNAVAILABLE when the token cannot be looked up
 */
export async function pinToken(deps: PinDeps, request: PinRequest): Promise<PinnedToken> {
  const { database, tokens, blockedAddresses } = deps;
  const { customerId, wallet, actor } = request;
  const { chain, token } = parsePin(deps, request);
  assertNotBlocked(blockedAddresses, [wallet, token]);
  if ((await tokens.inspect(chain, token)) === undefined) {
    throw validationError([
      { path: 'token', message: `is not a token on ${chain.slug}: no contract with decimals is there` },
    ]);
  }
  const key = { customerId, wallet, chainId: BigInt(chain.chainId), token };
  return database.$transaction(async (tx) => {
    await tx.customerWallet.createMany({ data: [{ customerId, address: wallet }], skipDuplicates: true });
    // Concurrent pins of one wallet wait for each other here, so that none of them exceeds the limit.
    await tx.$queryRaw`
      SELECT 1 FROM "CustomerWallet" WHERE "customerId" = ${customerId}::uuid AND address = ${wallet} FOR UPDATE`;
    const where = { customerId_wallet_chainId_token: key };
    const existing = await tx.pinnedToken.findUnique({ where });
    if (existing !== null) return pinOf(existing);
    if ((await tx.pinnedToken.count({ where: { customerId, wallet } })) >= MAX_PINNED_TOKENS) {
      throw serviceError('PINNED_TOKEN_LIMIT_REACHED', { maximum: MAX_PINNED_TOKENS });
    }
    const detail = { chainId: chain.chainId, token };
    await recordAudit(tx, actor, { operation: 'pinToken', targetType: 'wallet', targetId: wallet, detail });
    return pinOf(await tx.pinnedToken.create({ data: key }));
  });
}

/**
 * Unpins a token, also one of a chain that the deployment no longer serves. Returns false when it was not pinned.
 *
 * @throws VALIDATION_ERROR for a malformed address, FORBIDDEN for a blocked wallet
 */
export async function unpinToken(
  { database, blockedAddresses }: Pick<PinDeps, 'database' | 'blockedAddresses'>,
  { customerId, wallet, chainId, token, actor }: PinRequest,
): Promise<boolean> {
  const tokens = KINDS_WITH_TOKENS.flatMap((kind) => parseAddress(kind, token) ?? []);
  if (tokens.length === 0) throw validationError([{ path: 'token', message: 'must be the address of a token' }]);
  assertNotBlocked(blockedAddresses, [wallet]);
  const where = { customerId, wallet, chainId: BigInt(chainId), token: { in: tokens } };
  return database.$transaction(async (tx) => {
    const { count } = await tx.pinnedToken.deleteMany({ where });
    const change = { operation: 'unpinToken', targetType: 'wallet', targetId: wallet } as const;
    if (count > 0) await recordAudit(tx, actor, { ...change, detail: { chainId, token: tokens[0] ?? token } });
    return count > 0;
  });
}

const KINDS_WITH_TOKENS: readonly ChainKind[] = ['evm', 'solana'];

/** The pinned tokens of each wallet, in the order of the wallets, the latest first. One query. */
export async function findPinnedTokens(
  { database }: Pick<PinDeps, 'database'>,
  { customerId, wallets }: { readonly customerId: CustomerId; readonly wallets: readonly string[] },
): Promise<readonly (readonly PinnedToken[])[]> {
  const rows = await database.pinnedToken.findMany({
    where: { customerId, wallet: { in: [...wallets] } },
    orderBy: [{ createdAt: 'desc' }, { chainId: 'asc' }, { token: 'asc' }],
    take: MAX_PINNED_TOKENS * wallets.length,
  });
  return wallets.map((wallet) => rows.filter((row) => row.wallet === wallet).map(pinOf));
}

interface PinRow {
  readonly chainId: bigint;
  readonly token: string;
  readonly createdAt: Date;
}

const pinOf = ({ chainId, token, createdAt }: PinRow): PinnedToken => ({
  chainId: Number.parseInt(chainId.toString(), 10),
  token,
  pinnedAt: createdAt,
});

function parsePin(deps: ChainDeps, { wallet, chainId, token }: PinRequest): { chain: Chain; token: string } {
  const served = deps.chains.all.filter((chain) => isServed(deps, chain));
  const chain = served.find((each) => each.chainId === chainId);
  if (chain === undefined) throw validationError([{ path: 'chainId', message: unknownChainProblem(served) }]);
  if (parseAddress(chain.kind, wallet) === undefined) {
    throw validationError([
      { path: 'chainId', message: `is not a chain of this wallet: ${chain.slug} has other addresses` },
    ]);
  }
  const parsed = parseAddress(chain.kind, token);
  if (parsed === undefined) {
    throw validationError([{ path: 'token', message: `must be the address of a token on ${chain.slug}` }]);
  }
  if (isNativeToken(parsed)) {
    throw validationError([
      { path: 'token', message: 'must be a token: the native coin is always among the balances' },
    ]);
  }
  return { chain, token: parsed };
}
