import type { EndpointDeps } from '../../src/webhooks/endpoints';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { type DashboardDeps, DashboardResolver } from './dashboard-resolver';
import { CustomerResolver, type CustomersDeps } from './resolver';
import { WebhookResolver } from './webhook-resolver';

export const createCustomersSubgraph = (deps: CustomersDeps & DashboardDeps & EndpointDeps): Subgraph =>
  buildSubgraph({
    name: 'customers',
    resolvers: [new CustomerResolver(deps), new DashboardResolver(deps), new WebhookResolver(deps)],
  });
