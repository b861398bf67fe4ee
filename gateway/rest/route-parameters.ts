import type { GraphQLArgument, GraphQLSchema } from 'graphql';
import { InvariantError } from '../../src/errors/invariant-error';
import { rootField } from './root-field';
import { argumentVariable, routeDocument } from './route-document';
import { sectionFields, sectionSwitches } from './route-sections';
import type { RestRoute } from './route-table';

/** A parameter or body field of a route, with the variable of its operation. */
export interface RouteParameter {
  readonly name: string;
  readonly variable: string;
  readonly source: 'path' | 'query' | 'body';
  readonly argument: GraphQLArgument;
}

/** The parameters of a route: the arguments of its root field, then those of its sections. */
export function routeParameters(view: GraphQLSchema, route: RestRoute): readonly RouteParameter[] {
  const own = rootField(view, route.operation).args.map((argument): RouteParameter => ({
    name: argument.name,
    variable: argument.name,
    source: argumentSource(route, argument.name),
    argument,
  }));
  const parameters = [...own, ...sectionParameters(view, route)];
  assertDistinct(route, [
    ...parameters.map(({ name }) => name),
    ...sectionSwitches(route).map(({ parameter }) => parameter),
  ]);
  return parameters;
}

function sectionParameters(view: GraphQLSchema, route: RestRoute): readonly RouteParameter[] {
  if (route.sections === undefined) return [];
  const document = routeDocument(view, route);
  return sectionFields(view, route).flatMap(({ section, field }) =>
    Object.entries(section.parameters ?? {}).map(([argumentName, name]): RouteParameter => {
      const argument = field.args.find((each) => each.name === argumentName);
      if (argument === undefined) throw new InvariantError(`the section ${section.field} has no ${argumentName}`);
      const variable = argumentVariable(document, route, { section, argument: argumentName });
      return { name, variable, source: 'query', argument };
    }),
  );
}

function assertDistinct({ operation }: RestRoute, names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new InvariantError(`the route of ${operation} has two parameters ${repeated}`);
}

function argumentSource({ method, path }: RestRoute, argument: string): RouteParameter['source'] {
  if (path.split('/').includes(`:${argument}`)) return 'path';
  return method === 'POST' ? 'body' : 'query';
}
