import { ArgsType, Directive, Field, Int, ObjectType } from 'type-graphql';
import { HEAVY_OBJECT } from '../schema/costs';
import { PageInfo } from '../schema/pagination';
import { AddressScalar, AmountScalar, DateTimeScalar, SafeIntScalar } from '../schema/scalars';

@ArgsType()
export class MovementsArgs {
  @Field(() => Int, { nullable: true, description: 'Number of movements, 1 to 100. Default 20.' })
  first?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of a movement: the older ones are returned. Default: the newest ones.',
  })
  after?: string | null;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Returns only movements on this chain.' })
  chainId?: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Returns only movements of the token with this address, or this mint on Solana. The zero address is the native coin as well.',
  })
  token?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Tokens or native coin that a wallet received or sent.' })
export class Movement {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => SafeIntScalar, { description: 'Number of the block; the slot on Solana.' })
  blockNumber!: number;

  @Field(() => String, { nullable: true, description: 'Hash of the block. Null on Solana.' })
  blockHash!: string | null;

  @Field(() => DateTimeScalar, { description: 'Time of the block.' })
  blockTime!: Date;

  @Field(() => String, { description: 'Hash of the transaction; its first signature on Solana.' })
  txHash!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Position of the event in its block. Null for the native coin, and on Solana.',
  })
  logIndex!: number | null;

  @Field(() => String, { description: '`transferIn`: the wallet received tokens. `transferOut`: it sent them.' })
  kind!: string;

  @Field(() => AddressScalar, {
    description:
      'Contract of the token, or its mint. `0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE` for the native coin of an EVM chain, the mint of wrapped SOL for SOL.',
  })
  token!: string;

  @Field(() => AmountScalar, { description: "Amount in the token's smallest unit." })
  amount!: bigint;

  @Field(() => AddressScalar, {
    description:
      'Sender of `transferIn`, recipient of `transferOut`. On Solana the account with the greatest opposite change of the token in the transaction, or the system program without one.',
  })
  counterparty!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'The operation of the wallet that made it, for Safes and other smart accounts: `safe`, `safeBatch` (several calls), `safeModule`, `userOperation`. Null for all other movements, and for received tokens that another user operation may have sent. Tokens that another account sent earlier in the same transaction have the next operation of the wallet as well.',
  })
  operation!: string | null;

  @Field(() => String, { nullable: true, description: 'Hash of the Safe transaction or user operation.' })
  operationHash!: string | null;

  @Field(() => AddressScalar, {
    nullable: true,
    description:
      'The contract that reported the operation: the Safe, or the EntryPoint. Any contract may report user operations: compare it with the EntryPoints that you trust.',
  })
  operationContract!: string | null;

  @Field(() => Boolean, { description: 'False while a reorganisation of the chain may remove it.' })
  isFinal!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'A movement in a connection.' })
export class MovementEdge {
  @Field(() => String, { description: 'Position of the movement, for the argument `after`.' })
  cursor!: string;

  @Field(() => Movement, { description: 'The movement.' })
  node!: Movement;
}

@ObjectType({ simpleResolvers: true, description: 'Movements of a wallet after a cursor.' })
@Directive(HEAVY_OBJECT)
export class MovementConnection {
  @Field(() => [MovementEdge], { description: 'The movements with their cursors.' })
  edges!: readonly MovementEdge[];

  @Field(() => [Movement], { description: 'The movements without their cursors.' })
  nodes!: readonly Movement[];

  @Field(() => PageInfo, { description: 'What precedes and follows these movements.' })
  pageInfo!: PageInfo;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Which blocks of a chain the movements of a wallet are recorded of.',
})
export class MovementCoverage {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => SafeIntScalar, {
    nullable: true,
    description:
      'First block of the recorded token movements. None is missing since the wallet was watched. Before that (`history` is `proven`) those of listed tokens add up to the balances: movements of other tokens, and some that add up to 0, may be missing. Null before the first block was read.',
  })
  fromBlock!: number | null;

  @Field(() => SafeIntScalar, {
    nullable: true,
    description:
      'First block from which on no movement of the native coin is missing, except coin that contracts send; often after `fromBlock`. Null before the first block was read, and while a worker of an earlier release reads the chain.',
  })
  coinFromBlock!: number | null;

  @Field(() => SafeIntScalar, {
    nullable: true,
    description:
      'First block of token movements from before the wallet was watched, as far as they were added. Null where none are.',
  })
  historyFromBlock!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      '`walking`: earlier blocks are read; `proven`: the movements of all listed tokens add up to the balances, and `fromBlock` is `historyFromBlock`; `unproven`: they do not, since earlier ones are missing or the balance changes without transfers, or blocks could not be read. Null where none are added.',
  })
  history!: string | null;

  @Field(() => SafeIntScalar, {
    nullable: true,
    description: 'Newest block. Null before the first block was read, and for a suspended wallet.',
  })
  toBlock!: number | null;

  @Field(() => Int, {
    description: 'Blocks between them that could not be read completely. They are read again until they are complete.',
  })
  incompleteBlocks!: number;

  @Field(() => Boolean, {
    description:
      'True when all blocks since `fromBlock` were read, up to the newest ones of the chain: then no token movement is missing, except as stated at `fromBlock` from before the wallet was watched. Of coin none is missing since `coinFromBlock`, as stated there.',
  })
  isComplete!: boolean;

  @Field(() => String, {
    description:
      '`ok`; `behind`: blocks are missing, or the chain has no new ones; `stalled`: no worker reads the chain; `stopped`: an operator has to act; `unsupported`: the node serves no logs; `suspended`: the wallet had too many movements on one day, later ones are not recorded.',
  })
  status!: string;

  @Field(() => SafeIntScalar, { description: 'Blocks between `toBlock` and the newest block of the chain.' })
  lagBlocks!: number;

  @Field(() => SafeIntScalar, { description: 'Age of `toBlock`, in seconds.' })
  lagSeconds!: number;
}
