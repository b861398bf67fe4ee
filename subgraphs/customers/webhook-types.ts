import { Directive, Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ABOUT_TEN_ITEMS, ONE_OR_TWO_ITEMS } from '../schema/costs';
import { PageInfo } from '../schema/pagination';
import { DateTimeScalar, UrlScalar } from '../schema/scalars';

/** How the events of an action reach an endpoint. */
export const WebhookOrderingEnum = { action: 'action', none: 'none' } as const;
registerEnumType(WebhookOrderingEnum, {
  name: 'WebhookOrdering',
  description: 'How the events of an action reach an endpoint.',
  valuesConfig: {
    action: { description: 'In order: an event that the receiver rejects holds the later events of its action.' },
    none: { description: 'In any order.' },
  },
});

export const WebhookDeliveryStateEnum = {
  WAITING: 'WAITING',
  DELIVERED: 'DELIVERED',
  PARKED: 'PARKED',
  REPLAYED: 'REPLAYED',
} as const;
registerEnumType(WebhookDeliveryStateEnum, {
  name: 'WebhookDeliveryState',
  description: 'State of a webhook delivery.',
  valuesConfig: {
    WAITING: { description: 'An attempt is due or running.' },
    DELIVERED: { description: 'The receiver responded with 2xx.' },
    PARKED: { description: 'No further attempt is made until it is replayed.' },
    REPLAYED: { description: 'It was parked, and a new delivery of the event has taken its place.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A receiver of webhooks.' })
export class WebhookEndpoint {
  @Field(() => ID, { description: 'Id of the endpoint.' })
  id!: string;

  @Field(() => String, {
    description:
      '`CUSTOMER`: created with `createWebhookEndpoint`. `QUOTE`: an origin (scheme, host and port) of the URLs that requests for quotes name.',
  })
  kind!: string;

  @Field(() => UrlScalar, { description: 'URL of the receiver.' })
  url!: string;

  @Field(() => [String], { description: 'Types of events that it receives. Empty for all.' })
  @Directive(ABOUT_TEN_ITEMS)
  eventTypes!: readonly string[];

  @Field(() => WebhookOrderingEnum, { description: 'How the events of an action reach it.' })
  ordering!: string;

  @Field(() => String, { description: '`ENABLED` or `DISABLED`.' })
  state!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Why it is disabled: `CUSTOMER` (by an update), `GONE` (it responded with 410) or `FAILING` (it failed for five days). Null while it is enabled.',
  })
  disabledReason!: string | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Until when nothing is sent, because most attempts have failed. Null otherwise.',
  })
  openUntil!: Date | null;

  @Field(() => DateTimeScalar, { description: 'Time of creation.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, { description: 'Time of the last change.' })
  updatedAt!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'A new endpoint and its secret.' })
export class CreatedWebhookEndpoint {
  @Field(() => WebhookEndpoint, { description: 'The endpoint.' })
  endpoint!: WebhookEndpoint;

  @Field(() => String, { description: 'Secret that signs its events (`whsec_…`). It is shown once.' })
  secret!: string;
}

@ObjectType({ simpleResolvers: true, description: 'One attempt of a webhook delivery.' })
export class WebhookAttempt {
  @Field(() => Int, { description: 'Number of the attempt, from 1.' })
  number!: number;

  @Field(() => DateTimeScalar, { description: 'Time of its end.' })
  at!: Date;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the response. Null without one.' })
  status!: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      '`NOT_ALLOWED` (the host is not public), `UNREACHABLE`, `TIMEOUT`, `STATUS` (not 2xx) or `NO_SECRET` (no secret could sign it). Null for a success.',
  })
  failure!: string | null;

  @Field(() => Int, { description: 'Duration in milliseconds.' })
  durationMs!: number;

  @Field(() => String, { nullable: true, description: 'First characters of the response to a failed attempt.' })
  response!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'An event for one endpoint.' })
export class WebhookDelivery {
  @Field(() => ID, { description: 'Id of the delivery.' })
  id!: string;

  @Field(() => ID, { description: 'Id of the event: the header `webhook-id`, the same for all attempts and replays.' })
  eventId!: string;

  @Field(() => ID, { description: 'Id of the endpoint.' })
  endpointId!: string;

  @Field(() => String, { description: 'Type of the event.' })
  type!: string;

  @Field(() => ID, { description: 'Id of the quote, action, KYC profile or endpoint that the event is about.' })
  subjectId!: string;

  @Field(() => UrlScalar, { description: 'URL that receives the event.' })
  url!: string;

  @Field(() => WebhookDeliveryStateEnum, { description: 'State of the delivery.' })
  state!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Why no further attempt is made: `EXHAUSTED` (all attempts failed), `GONE` (the receiver responded with 410), `ENDPOINT_DISABLED` or `ORIGIN_LIMIT` (the URLs of quotes name too many origins). Null when it is not parked.',
  })
  parkedReason!: string | null;

  @Field(() => Int, { description: 'Number of attempts.' })
  attemptCount!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the next attempt is due. Null unless it waits.' })
  nextAttemptAt!: Date | null;

  @Field(() => DateTimeScalar, { description: 'Time of creation.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it was delivered or parked. Null while it waits.',
  })
  finishedAt!: Date | null;

  @Field(() => String, { description: 'The body as it is sent and signed.' })
  body!: string;

  @Field(() => [WebhookAttempt], { description: 'The attempts of the last 7 days.' })
  @Directive(ONE_OR_TWO_ITEMS)
  attempts!: readonly WebhookAttempt[];
}

@ObjectType({ simpleResolvers: true, description: 'Webhook deliveries after a cursor.' })
export class WebhookDeliveryConnection {
  @Field(() => [WebhookDelivery], { description: 'The deliveries, the newest first.' })
  nodes!: readonly WebhookDelivery[];

  @Field(() => PageInfo, { description: 'What precedes and follows these deliveries.' })
  pageInfo!: PageInfo;
}
