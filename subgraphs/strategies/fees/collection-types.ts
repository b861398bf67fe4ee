import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type {
  CollectionRunPage as CollectionRunPageView,
  CollectionRunView,
  RecurringCollectionView,
} from '../../../src/strategies/collection/collection-view';
import { COLLECTION_STATES, REQUESTED_STATES, RUN_STATES } from '../../../src/strategies/collection/collection-states';
import type { WalletEnrolment as WalletEnrolmentView } from '../../../src/strategies/collection/enrol-wallet';
import type { CallItem } from '../../../src/transactions/execution/transaction-item';
import { namedEnum } from '../../schema/named-enum';
import { Pagination } from '../../schema/pagination';
import { AddressScalar, DateTimeScalar, UuidScalar } from '../../schema/scalars';

const CollectionState = namedEnum(COLLECTION_STATES);
registerEnumType(CollectionState, {
  name: 'RecurringCollectionState',
  description: 'State of the recurring collection of fees on profit.',
  valuesConfig: {
    OFF: { description: 'Nothing is collected.' },
    PENDING: { description: 'The registry on chain is being changed. Nothing is collected meanwhile.' },
    LIVE: { description: 'Fees are collected from enrolled wallets.' },
    PAUSED: { description: 'Nothing is collected until it is live again.' },
  },
});

export const RequestedCollectionState = namedEnum(REQUESTED_STATES);
registerEnumType(RequestedCollectionState, {
  name: 'RequestedCollectionState',
  description: 'State of the recurring collection that a request can set.',
  valuesConfig: {
    LIVE: { description: 'Fees are collected from enrolled wallets.' },
    PAUSED: { description: 'Nothing is collected until it is live again.' },
    OFF: { description: 'Nothing is collected.' },
  },
});

const RunState = namedEnum(RUN_STATES);
registerEnumType(RunState, {
  name: 'CollectionRunState',
  description: 'State of one run.',
  valuesConfig: {
    PLANNED: { description: 'No transaction is pending.' },
    DISPATCHED: { description: 'Transactions are pending.' },
    UNKNOWN: { description: 'A transaction may have been sent: a worker looks it up.' },
    CONFIRMED: {
      description:
        'All wallets are done, and at least one was collected, or skipped because nothing was due; or no wallet was enrolled.',
    },
    FAILED: { description: 'The collection failed for every wallet.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'One run of the recurring collection, over all enrolled wallets.' })
export class CollectionRun implements CollectionRunView {
  @Field(() => UuidScalar, { description: 'Id of the run.' })
  id!: string;

  @Field(() => RunState, { description: 'State of the run.' })
  state!: string;

  @Field(() => DateTimeScalar, { description: 'When it was due.' })
  dueAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ended. Null until then.' })
  finishedAt!: Date | null;

  @Field(() => Int, { description: 'Number of wallets.' })
  wallets!: number;

  @Field(() => Int, { description: 'Number of wallets that have paid.' })
  collectedWallets!: number;

  @Field(() => Int, { description: 'Number of wallets whose collection failed.' })
  failedWallets!: number;

  @Field(() => String, { description: 'Shares of the vault that the fee collector has received, in base units.' })
  performanceShares!: string;

  @Field(() => String, { description: 'Shares that the recipient of the markup has received, in base units.' })
  markupShares!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A page of runs.' })
export class CollectionRunPage implements CollectionRunPageView {
  @Field(() => [CollectionRun], { description: 'The runs of this page, the newest first.' })
  data!: readonly CollectionRun[];

  @Field(() => Pagination, { description: 'Position of this page in the list.' })
  pagination!: Pagination;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Recurring collection of the fees on profit, without a withdrawal, from wallets that have agreed to it.',
})
export class RecurringCollection implements Omit<RecurringCollectionView, 'strategyId'> {
  /** Not shown: its parent has it. */
  strategyId!: string;

  @Field(() => CollectionState, { description: 'State of the recurring collection.' })
  state!: string;

  @Field(() => Int, { description: 'Days between two runs.' })
  intervalDays!: number;

  @Field(() => AddressScalar, { description: 'Contract that collects, on the chain of the strategy.' })
  registryAddress!: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the next run is due. Null unless live.' })
  nextRunAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why the last change of the registry has failed or waits. Null for none.',
  })
  reason!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A call that a wallet sends itself.' })
export class EnrolmentCall implements CallItem {
  @Field(() => String, { description: 'Id of the chain.' })
  chainId!: string;

  @Field(() => AddressScalar, { description: 'Wallet that sends it.' })
  from!: string;

  @Field(() => AddressScalar, { description: 'Called contract.' })
  to!: string;

  @Field(() => String, { description: 'Calldata in hexadecimal.' })
  data!: CallItem['data'];

  @Field(() => String, { description: 'Native coin sent along, in wei.' })
  value!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A wallet in the recurring collection, and the calls that it has to send.',
})
export class WalletEnrolment implements WalletEnrolmentView {
  @Field(() => ID, { description: 'Id of the strategy, in lower case.' })
  strategyId!: string;

  @Field(() => AddressScalar, { description: 'The wallet.' })
  wallet!: string;

  @Field(() => Int, { description: 'The most that is taken of its profit, in basis points. The wallet signs it.' })
  maxBps!: number;

  @Field(() => Boolean, { description: 'True when the registry has the consent of the wallet already.' })
  isEnrolledOnChain!: boolean;

  @Field(() => [EnrolmentCall], {
    description: 'Calls of the wallet, in this order: the allowance of the shares that it holds, and its consent.',
  })
  transactions!: readonly EnrolmentCall[];

  @Field(() => EnrolmentCall, {
    description:
      'Call of the wallet after each later deposit, withdrawal and transfer of its shares: profit of new shares counts from then on.',
  })
  record!: EnrolmentCall;

  @Field(() => EnrolmentCall, { description: 'Call of the wallet that ends its consent.' })
  leave!: EnrolmentCall;
}

const STRATEGY_ID = { description: 'Id, slug or alias of the strategy, in any case.' };

@ArgsType()
export class RecurringCollectionArgs {
  @Field(() => String, STRATEGY_ID)
  strategyId!: string;

  @Field(() => RequestedCollectionState, { description: 'Requested state.' })
  state!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Days between two runs, 1 to 365. Default: unchanged, or 30 the first time.',
  })
  intervalDays?: number | null;
}

@ArgsType()
export class CollectionRecipientsArgs {
  @Field(() => String, STRATEGY_ID)
  strategyId!: string;

  @Field(() => String, { nullable: true, description: 'EVM address that receives the fees. Default: unchanged.' })
  feeCollector?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'EVM address that receives the markup; must differ from the fee collector. Default: unchanged.',
  })
  markupRecipient?: string | null;
}

@ArgsType()
export class EnrolWalletArgs {
  @Field(() => String, STRATEGY_ID)
  strategyId!: string;

  @Field(() => String, { description: 'EVM address of the wallet.' })
  wallet!: string;
}

@ArgsType()
export class CollectionRunsArgs {
  @Field(() => Int, { nullable: true, description: 'Page number, from 1. Default 1.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: 'Items on a page, 1 to 100. Default 20.' })
  limit?: number | null;
}
