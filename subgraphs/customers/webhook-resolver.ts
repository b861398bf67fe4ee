import { Arg, Args, Authorized, Ctx, Directive, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import { listDeliveries, replayDelivery, replayParked } from '../../src/webhooks/delivery-log';
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointDeps,
  listEndpoints,
  rotateEndpointSecret,
  updateEndpoint,
} from '../../src/webhooks/endpoints';
import { sendTestEvent } from '../../src/webhooks/test-event';
import { actorOf, requireCustomer } from '../schema/authorization';
import { ABOUT_TEN_ITEMS, NODES_SIZE } from '../schema/costs';
import { UuidScalar } from '../schema/scalars';
import { CreateWebhookEndpointArgs, UpdateWebhookEndpointArgs, WebhookDeliveriesArgs } from './webhook-args';
import { CreatedWebhookEndpoint, WebhookDeliveryConnection, WebhookEndpoint } from './webhook-types';

@Resolver()
export class WebhookResolver {
  constructor(private readonly deps: EndpointDeps) {}

  @Authorized('read')
  @Query(() => [WebhookEndpoint], {
    description: 'Returns the webhook endpoints of the customer. Requires a Bearer token.',
  })
  @Directive(ABOUT_TEN_ITEMS)
  webhookEndpoints(@Ctx() context: RequestContext): Promise<readonly WebhookEndpoint[]> {
    return listEndpoints(this.deps, requireCustomer(context));
  }

  @Authorized('read')
  @Query(() => WebhookDeliveryConnection, {
    description: 'Returns the webhook deliveries of the customer, the newest first. Requires a Bearer token.',
  })
  @Directive(NODES_SIZE)
  async webhookDeliveries(
    @Args(() => WebhookDeliveriesArgs) { after, ...filter }: WebhookDeliveriesArgs,
    @Ctx() context: RequestContext,
  ): Promise<WebhookDeliveryConnection> {
    const page = await listDeliveries(this.deps, { customerId: requireCustomer(context), after, ...filter });
    const [first] = page.deliveries;
    const startCursor = first === undefined ? null : `${first.createdAt.toISOString()}_${first.id}`;
    const { hasNextPage, endCursor } = page;
    const pageInfo = { hasNextPage, hasPreviousPage: typeof after === 'string', startCursor, endCursor };
    return { nodes: page.deliveries, pageInfo };
  }

  @Authorized('webhooks:write')
  @Mutation(() => CreatedWebhookEndpoint, {
    description: 'Creates a webhook endpoint, at most 10 for a customer. Roles: admin, owner, developer.',
  })
  createWebhookEndpoint(
    @Args(() => CreateWebhookEndpointArgs) { url, ...settings }: CreateWebhookEndpointArgs,
    @Ctx() context: RequestContext,
  ): Promise<CreatedWebhookEndpoint> {
    return createEndpoint(this.deps, { url, ...settings, ...changeBy(context) });
  }

  @Authorized('webhooks:write')
  @Mutation(() => WebhookEndpoint, {
    description: 'Changes, enables or disables a webhook endpoint. Roles: admin, owner, developer.',
  })
  updateWebhookEndpoint(
    @Args(() => UpdateWebhookEndpointArgs) { endpointId, ...settings }: UpdateWebhookEndpointArgs,
    @Ctx() context: RequestContext,
  ): Promise<WebhookEndpoint> {
    return updateEndpoint(this.deps, { endpointId, ...settings, ...changeBy(context) });
  }

  @Authorized('webhooks:write')
  @Mutation(() => ID, {
    description: 'Deletes a webhook endpoint and returns its id. Roles: admin, owner, developer.',
  })
  async deleteWebhookEndpoint(
    @Arg('endpointId', () => UuidScalar, { description: 'Id of the endpoint.' }) endpointId: string,
    @Ctx() context: RequestContext,
  ): Promise<string> {
    await deleteEndpoint(this.deps, { ...changeBy(context), endpointId });
    return endpointId;
  }

  @Authorized('webhooks:write')
  @Mutation(() => String, {
    description:
      'Replaces a signing secret and returns the new one, which is shown once. The former one signs beside it for 24 hours. Roles: admin, owner, developer.',
  })
  rotateWebhookSecret(
    @Arg('endpointId', () => UuidScalar, {
      nullable: true,
      description: "Id of the endpoint. Default: the secret of the customer, which signs for quotes' own URLs.",
    })
    endpointId: string | null | undefined,
    @Ctx() context: RequestContext,
  ): Promise<string> {
    return rotateEndpointSecret(this.deps, { ...changeBy(context), endpointId: endpointId ?? undefined });
  }

  @Authorized('webhooks:write')
  @Mutation(() => ID, {
    description:
      'Sends the event of a parked or delivered webhook again and returns the id of the new delivery. Roles: admin, owner, developer.',
  })
  replayWebhookDelivery(
    @Arg('deliveryId', () => UuidScalar, { description: 'Id of the delivery.' }) deliveryId: string,
    @Ctx() context: RequestContext,
  ): Promise<string> {
    return replayDelivery(this.deps, { ...changeBy(context), deliveryId });
  }

  @Authorized('webhooks:write')
  @Mutation(() => Int, {
    description:
      'Sends the parked webhooks of an endpoint again, the oldest first, at most 1,000, and returns their number. Roles: admin, owner, developer.',
  })
  replayParkedWebhooks(
    @Arg('endpointId', () => UuidScalar, { description: 'Id of the endpoint.' }) endpointId: string,
    @Ctx() context: RequestContext,
  ): Promise<number> {
    return replayParked(this.deps, { ...changeBy(context), endpointId });
  }

  @Authorized('webhooks:write')
  @Mutation(() => ID, {
    description:
      'Sends an event of the type `webhook.test` to an endpoint and returns the id of the delivery. Roles: admin, owner, developer.',
  })
  sendTestWebhook(
    @Arg('endpointId', () => UuidScalar, { description: 'Id of the endpoint.' }) endpointId: string,
    @Ctx() context: RequestContext,
  ): Promise<string> {
    return sendTestEvent(this.deps, { ...changeBy(context), endpointId });
  }
}

const changeBy = (context: RequestContext) => ({ customerId: requireCustomer(context), actor: actorOf(context) });
