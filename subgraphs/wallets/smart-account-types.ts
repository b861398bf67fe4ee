import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { DEPLOYMENT_STATES } from '../../src/actions/deployments/read-smart-account';
import { namedEnum } from '../schema/named-enum';
import { AddressScalar, DateTimeScalar, SafeIntScalar } from '../schema/scalars';

@ObjectType({
  simpleResolvers: true,
  description:
    'An ERC-4337 account: a Safe 1.4.1 on EntryPoint 0.7. Its address is available at once and can receive tokens. The service deploys it, or its first user operation does.',
})
export class SmartAccount {
  @Field(() => AddressScalar, {
    description: 'Address of the account. Derived from the owner only (CREATE2), so it is the same on every chain.',
  })
  address!: string;

  @Field(() => AddressScalar, { description: 'Signer of the account.' })
  owner!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;
}

const DeploymentStateEnum = namedEnum(DEPLOYMENT_STATES);
registerEnumType(DeploymentStateEnum, {
  name: 'SmartAccountDeploymentState',
  description: 'State of the deployment of a smart account.',
  valuesConfig: {
    WAITING: { description: 'An attempt is due: see `lastFailure` for why an earlier one failed.' },
    SENDING: { description: 'The service sends the transaction, or waits until it is final.' },
    DEPLOYED: { description: 'The account has code, and that is final.' },
    FAILED: { description: 'No further attempt is made until the account is requested again.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The deployment of a smart account by the service.' })
export class SmartAccountDeployment {
  @Field(() => DeploymentStateEnum, { description: 'Its state.' })
  state!: string;

  @Field(() => ID, { description: 'Id of its action, of the type `SMART_ACCOUNT_DEPLOYMENT`.' })
  actionId!: string;

  @Field(() => String, { nullable: true, description: 'Transaction of the service. Null before it was sent.' })
  txHash!: string | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed. Null without a failure.' })
  lastFailure!: string | null;

  @Field(() => DateTimeScalar, { description: 'Time of the request.' })
  requestedAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ended. Null before.' })
  finishedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'A smart account of the customer, with its deployment.' })
export class SmartAccountStatus {
  @Field(() => AddressScalar, { description: 'Address of the account.' })
  address!: string;

  @Field(() => AddressScalar, { description: 'Signer of the account.' })
  owner!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => SmartAccountDeployment, {
    nullable: true,
    description: 'Null where the service does not deploy the account: its first user operation does.',
  })
  deployment!: SmartAccountDeployment | null;
}
