import { ArgsType, Field, Int } from 'type-graphql';
import type { ActionType } from '../../../src/transactions/action-plan';
import type { ConnectionFilter } from '../../../src/actions/action-connection';
import type { ActionFilter } from '../../../src/actions/list-actions';
import { AddressScalar, UuidScalar } from '../../schema/scalars';
import { ActionSortFieldEnum, ActionStatusEnum, ActionTypeEnum, SortOrderEnum } from './enums';

const STATUS = {
  nullable: true,
  description:
    'Returns only actions with this status. INITIAL includes drafts: executable quotes that were not executed.',
};
const TYPE = { nullable: true, description: 'Returns only actions of this type.' };
const SORT_BY = { nullable: true, description: 'Field to sort by. Default `createdAt`.' };
const SORT_ORDER = { nullable: true, description: 'Sort order. Default `desc`.' };

@ArgsType()
export class WalletActionsArgs {
  @Field(() => Int, { nullable: true, description: 'Page number, from 1. Default 1.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: 'Items on a page, 1 to 100. Default 20.' })
  limit?: number | null;

  @Field(() => ActionStatusEnum, STATUS)
  status?: keyof typeof ActionStatusEnum | null;
}

@ArgsType()
export class ActionsArgs extends WalletActionsArgs implements ActionFilter {
  @Field(() => AddressScalar, { description: 'Wallet that sends or receives.' })
  walletAddress!: string;

  @Field(() => ActionTypeEnum, TYPE)
  type?: ActionType | null;

  @Field(() => ActionSortFieldEnum, SORT_BY)
  sortBy?: keyof typeof ActionSortFieldEnum | null;

  @Field(() => SortOrderEnum, SORT_ORDER)
  sortOrder?: keyof typeof SortOrderEnum | null;
}

@ArgsType()
export class WalletHistoryArgs implements ActionFilter {
  @Field(() => Int, { nullable: true, description: 'Page number, from 1. Default 1.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: 'Items on a page, 1 to 500. Default 50.' })
  limit?: number | null;

  @Field(() => ActionStatusEnum, STATUS)
  status?: keyof typeof ActionStatusEnum | null;

  @Field(() => ActionTypeEnum, TYPE)
  type?: ActionType | null;

  @Field(() => ActionSortFieldEnum, SORT_BY)
  sortBy?: keyof typeof ActionSortFieldEnum | null;

  @Field(() => SortOrderEnum, SORT_ORDER)
  sortOrder?: keyof typeof SortOrderEnum | null;
}

@ArgsType()
export class ActionsConnectionArgs implements ConnectionFilter {
  @Field(() => Int, { nullable: true, description: 'Number of actions, 1 to 100. Default 20.' })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of an action in the same sort: the actions after it are returned. Default: the first ones.',
  })
  after?: string | null;

  @Field(() => ActionStatusEnum, STATUS)
  status?: keyof typeof ActionStatusEnum | null;

  @Field(() => ActionTypeEnum, TYPE)
  type?: ActionType | null;

  @Field(() => ActionSortFieldEnum, SORT_BY)
  sortBy?: keyof typeof ActionSortFieldEnum | null;

  @Field(() => SortOrderEnum, SORT_ORDER)
  sortOrder?: keyof typeof SortOrderEnum | null;
}

@ArgsType()
export class SwapStatusArgs {
  @Field(() => UuidScalar, { description: 'Id of a quote or of an action.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Transaction that executed the swap on the origin chain.' })
  txHash?: string | null;

  @Field(() => String, { nullable: true, description: 'Bitcoin transaction that paid the deposit of the swap.' })
  btcTxHash?: string | null;
}

@ArgsType()
export class ReportTransactionArgs {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => String, { description: 'Transaction that executed the action on its origin chain.' })
  txHash!: string;
}

@ArgsType()
export class CancelActionArgs {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => AddressScalar, { description: 'Wallet with which the action was created.' })
  wallet!: string;
}

@ArgsType()
export class RequestRefundArgs {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Address on the origin chain that receives the refund. Default: the refund address of the quote, or the sender.',
  })
  refundAddress?: string | null;
}
