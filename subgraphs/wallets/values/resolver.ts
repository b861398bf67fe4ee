import DataLoader from 'dataloader';
import { Args, Ctx, Directive, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { assertNotBlocked } from '../../../src/auth/sanctions';
import { formatUsd, type MicroUsd } from '../../../src/money/usd';
import type { SnapshotStoreDeps } from '../../../src/snapshots/snapshot-store';
import {
  readWalletValues,
  type ValueCurrency,
  type ValueRange,
  type WalletValuePoint as Point,
} from '../../../src/snapshots/wallet-values';
import { requireCustomer } from '../../schema/authorization';
import { VALUE_HISTORY } from '../../schema/costs';
import { Wallet } from '../types';
import { ValueHistoryArgs, WalletValuePoint } from './types';

export type WalletValuesDeps = SnapshotStoreDeps & { readonly blockedAddresses: ReadonlySet<string> };

interface HistoryKey {
  readonly address: string;
  readonly range: ValueRange;
  readonly currency: ValueCurrency;
}

/** Wallets whose histories are read by one statement. */
const MAX_WALLETS = 20;

@Resolver(() => Wallet)
export class WalletValuesResolver {
  constructor(private readonly deps: WalletValuesDeps) {}

  /** Returns what the wallet was worth. */
  @Directive(VALUE_HISTORY)
  @FieldResolver(() => [WalletValuePoint], {
    description:
      'What the wallet was worth, the oldest first. It is observed when its tokens or positions are requested: steps without a request have no point.',
  })
  async valueHistory(
    @Root() { address }: Wallet,
    @Args(() => ValueHistoryArgs) { range, currency }: ValueHistoryArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly WalletValuePoint[]> {
    assertNotBlocked(this.deps.blockedAddresses, [address]);
    const points = await context.loader(this.createLoader).load({ address, range, currency: currency ?? 'USD' });
    return points.map(viewOf);
  }

  /** One function for the life of the process: a request finds its loader by it. */
  private readonly createLoader = (context: RequestContext) =>
    new DataLoader<HistoryKey, readonly Point[], string>((keys) => this.readAll(keys, requireCustomer(context)), {
      cacheKeyFn: ({ address, range, currency }) => `${address} ${range} ${currency}`,
      maxBatchSize: MAX_WALLETS,
    });

  /** One statement for each range and currency. */
  private async readAll(
    keys: readonly HistoryKey[],
    customerId: ReturnType<typeof requireCustomer>,
  ): Promise<readonly (readonly Point[])[]> {
    const kinds = new Map(keys.map(({ range, currency }) => [`${range} ${currency}`, { range, currency }]));
    const read = [...kinds].map(async ([kind, { range, currency }]) => {
      const own = keys.filter((key) => key.range === range && key.currency === currency);
      const wallets = own.map(({ address }) => address);
      const histories = await readWalletValues(this.deps, { customerId, wallets, range, currency });
      return [kind, new Map(wallets.map((wallet, index) => [wallet, histories[index] ?? []]))] as const;
    });
    const found = new Map(await Promise.all(read));
    return keys.map(({ address, range, currency }) => found.get(`${range} ${currency}`)?.get(address) ?? []);
  }
}

/** Millionths of reais have the decimals of millionths of dollars. */
const textOf = (micros: MicroUsd | undefined): string | undefined =>
  micros === undefined ? undefined : formatUsd(micros);

const viewOf = ({ at, tokens, earn, total, unpriced, unread }: Point): WalletValuePoint => ({
  at,
  total: textOf(total),
  tokens: textOf(tokens),
  earn: textOf(earn),
  unpriced,
  unread,
});
