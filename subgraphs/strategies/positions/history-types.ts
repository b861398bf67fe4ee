import { Directive, Field, Int, ObjectType } from 'type-graphql';
import { HEAVY_OBJECT } from '../../schema/costs';
import { Pagination } from '../../schema/pagination';
import { AmountScalar, DateTimeScalar, SafeIntScalar, UuidScalar } from '../../schema/scalars';
import { PositionChangeTypeEnum } from './enums';
import { PositionAmount } from './types';

@ObjectType({ simpleResolvers: true, description: 'A change of a deposit, with what it moved.' })
export class HistoricPayload {
  @Field(() => PositionAmount, { nullable: true, description: 'Moved assets. Null when their value is unknown.' })
  amount!: PositionAmount | undefined;

  @Field(() => AmountScalar, {
    nullable: true,
    description:
      'The same as `amount.value`. For a withdrawal, before the fees of this service, which are paid from it; the entry fee of a deposit is paid besides.',
  })
  amountBeforeFees!: string | undefined;

  @Field(() => String, { description: 'The wallet whose deposit changed.' })
  fromAddress!: string;

  @Field(() => String, { description: 'Hash of the transaction.' })
  transactionHash!: string;

  @Field(() => SafeIntScalar, { description: 'Number of the block.' })
  blockNumber!: bigint;

  @Field(() => Int, { description: 'Index of the log in its block.' })
  logIndex!: number;

  @Field(() => String, { description: 'Id of the strategy.' })
  strategyId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A change of a deposit.' })
export class HistoricEntry {
  @Field(() => String, { description: '`lend`, `withdraw`, `transfer-in` or `transfer-out`.' })
  action!: string;

  @Field(() => String, { description: 'The wallet.' })
  wallet!: string;

  @Field(() => HistoricPayload, { description: 'What it moved.' })
  payload!: HistoricPayload;

  @Field(() => String, { description: '`chain`: the entry was read from the logs of the chain.' })
  source!: string;

  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  updatedAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Null: entries are never deleted.' })
  deletedAt!: Date | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A change of a deposit.' })
export class PositionChange {
  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  at!: Date;

  @Field(() => PositionChangeTypeEnum, { description: 'How the deposit changed.' })
  type!: string;

  @Field(() => PositionAmount, { nullable: true, description: 'Moved assets. Null when their value is unknown.' })
  amount!: PositionAmount | undefined;

  @Field(() => AmountScalar, { nullable: true, description: 'Shares in their smallest unit.' })
  shares!: string | undefined;

  @Field(() => String, { nullable: true, description: 'Price of one whole share, as an exact decimal.' })
  sharePrice!: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'US dollars at the price of that day, as an exact decimal. Null when no price of it is stored.',
  })
  valueUSD!: string | undefined;

  @Field(() => String, { description: 'Hash of the transaction.' })
  txHash!: string;

  @Field(() => UuidScalar, { nullable: true, description: 'Action that sent the transaction. Null for others.' })
  actionId!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A page of the changes of a deposit.' })
@Directive(HEAVY_OBJECT)
export class PositionHistoryPage {
  @Field(() => [PositionChange], { description: 'The changes of this page, the newest first.' })
  data!: readonly PositionChange[];

  @Field(() => Pagination, { description: 'Position of this page in the list.' })
  pagination!: Pagination;

  @Field(() => Boolean, { description: 'True while the history is uncertain.' })
  stale!: boolean;
}
