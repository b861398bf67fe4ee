import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { CustomerResolver, type CustomersDeps } from './resolver';

export const createCustomersSubgraph = (deps: CustomersDeps): Subgraph =>
  buildSubgraph({ name: 'customers', resolvers: [new CustomerResolver(deps)] });
