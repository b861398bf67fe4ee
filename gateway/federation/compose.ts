import { composeServices, transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import { parse, print } from 'graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import { withJoinedInterfaceFields } from './joined-interface-fields';

export interface SubgraphDefinition {
  readonly name: string;
  /** URL for other federation routers. This gateway uses its transports instead. */
  readonly url: string;
  /** Federation SDL. */
  readonly typeDefs: string;
}

/**
 * Composes the supergraph, a standard Federation 2 document.
 *
 * @throws InvariantError with every composition error.
 */
export function composeSupergraph(subgraphs: readonly SubgraphDefinition[]): string {
  const services = subgraphs.map(({ name, url, typeDefs }) => ({ name, url, typeDefs: parse(typeDefs) }));
  const { supergraphSdl, errors } = composeServices(services);
  if (supergraphSdl !== undefined) return withJoinedInterfaceFields(supergraphSdl, services);
  const problems = errors.map((error) => `  - ${error.message}`).join('\n');
  throw new InvariantError(`the subgraphs do not compose:\n${problems}`);
}

/** The schema that clients see: without the directives of federation and without inaccessible elements. */
export const publicSchemaOf = (supergraphSdl: string): string =>
  print(transformSupergraphToPublicSchema(parse(supergraphSdl, { noLocation: true })));
