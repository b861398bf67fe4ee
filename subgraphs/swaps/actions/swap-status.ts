import { Field, ObjectType } from 'type-graphql';
import type { SwapStatus as SwapStatusView } from '../../../src/actions/swap-status';
import { DateTimeScalar, UrlScalar, UuidScalar } from '../../schema/scalars';
import { ActionStatusEnum, SUBSTATUS_DESCRIPTION } from './enums';
import { CompletionCall } from './types';

@ObjectType({ simpleResolvers: true, description: 'Status of a swap.' })
export class SwapStatus implements SwapStatusView {
  @Field(() => UuidScalar, { description: 'Id of the action, or of the quote while it has no action.' })
  id!: string;

  @Field(() => UuidScalar, { nullable: true, description: 'Id of the quote.' })
  quoteId!: string | null;

  @Field(() => ActionStatusEnum, { description: 'Status of the action.' })
  status!: keyof typeof ActionStatusEnum;

  @Field(() => String, { nullable: true, description: SUBSTATUS_DESCRIPTION })
  substatus!: string | null;

  @Field(() => String, { nullable: true, description: 'Provider that executes the swap.' })
  provider!: string | null;

  @Field(() => String, { nullable: true, description: 'Transaction that executed the quote.' })
  originTxHash!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'URL of that transaction at the block explorer.' })
  originTxUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Transaction that delivered the output on the destination chain.',
  })
  destinationTxHash!: string | null;

  @Field(() => UrlScalar, { nullable: true, description: 'URL of that transaction at the block explorer.' })
  destinationTxUrl!: string | null;

  @Field(() => String, { nullable: true, description: 'Transaction of the refund.' })
  refundTxHash!: string | null;

  @Field(() => CompletionCall, {
    nullable: true,
    description:
      'Transaction that completes the swap. Set with the substatus `DESTINATION_MINT_REQUIRED`, and while the tokens of an expired payout are to be returned.',
  })
  completion!: CompletionCall | null;

  @Field(() => DateTimeScalar, { description: 'Time of the last change of the action.' })
  updatedAt!: Date;
}
