import { ArgsType, Field, Int } from 'type-graphql';
import type { DeliveryFilter } from '../../src/webhooks/delivery-log';
import type { EndpointSettings } from '../../src/webhooks/endpoints';
import { UrlScalar, UuidScalar } from '../schema/scalars';
import { WebhookDeliveryStateEnum, WebhookOrderingEnum } from './webhook-types';

const EVENT_TYPES = { nullable: true, description: 'Types of events to receive. Default: all.' };
const ORDERING = { nullable: true, description: 'How the events of an action reach it. Default `action`.' };

@ArgsType()
export class CreateWebhookEndpointArgs implements EndpointSettings {
  @Field(() => UrlScalar, { description: 'URL of the receiver: https, on a public host.' })
  url!: string;

  @Field(() => [String], EVENT_TYPES)
  eventTypes?: readonly string[] | null;

  @Field(() => WebhookOrderingEnum, ORDERING)
  ordering?: keyof typeof WebhookOrderingEnum | null;
}

@ArgsType()
export class UpdateWebhookEndpointArgs implements EndpointSettings {
  @Field(() => UuidScalar, { description: 'Id of the endpoint.' })
  endpointId!: string;

  @Field(() => UrlScalar, { nullable: true, description: 'The new URL. Default: the present one.' })
  url?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Types of events to receive; an empty list for all. Default: the present ones.',
  })
  eventTypes?: readonly string[] | null;

  @Field(() => WebhookOrderingEnum, {
    nullable: true,
    description: 'How the events of an action reach it. Default: the present way.',
  })
  ordering?: keyof typeof WebhookOrderingEnum | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'False parks all deliveries, those that wait and later ones; `replayParkedWebhooks` sends them after true. Default: the present state.',
  })
  enabled?: boolean | null;
}

@ArgsType()
export class WebhookDeliveriesArgs implements DeliveryFilter {
  @Field(() => Int, { nullable: true, description: 'Number of deliveries, 1 to 100. Default 20.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'The `endCursor` of the page before. Default: the newest ones.' })
  after?: string | null;

  @Field(() => UuidScalar, { nullable: true, description: 'Returns only deliveries to this endpoint.' })
  endpointId?: string | null;

  @Field(() => UuidScalar, { nullable: true, description: 'Returns only deliveries of this event.' })
  eventId?: string | null;

  @Field(() => UuidScalar, {
    nullable: true,
    description: 'Returns only deliveries of events about this quote, action, KYC profile or endpoint.',
  })
  subjectId?: string | null;

  @Field(() => WebhookDeliveryStateEnum, { nullable: true, description: 'Returns only deliveries in this state.' })
  state?: keyof typeof WebhookDeliveryStateEnum | null;

  @Field(() => String, {
    nullable: true,
    description: 'Returns only deliveries of this type of event. Requires `eventId` or `subjectId`.',
  })
  type?: string | null;
}
