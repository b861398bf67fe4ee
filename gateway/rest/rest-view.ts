import { mapSchema, MapperKind, pruneSchema } from '@graphql-tools/utils';
import type { GraphQLSchema } from 'graphql';
import { sectionFields } from './route-sections';
import type { RestRoute } from './route-table';

/**
 * The part of the public schema that REST shows: the root fields of the routes, and the fields below them. Below a root
 * field, a field with arguments is shown only as a section of a route, with the arguments that the route offers. A type that
 * a route limits has the named fields and the sections alone.
 */
export function restView(schema: GraphQLSchema, routes: readonly RestRoute[]): GraphQLSchema {
  const shown = new Set<string>(routes.map(({ operation }) => operation));
  const sections = new Map<string, ReadonlySet<string>>();
  for (const { section, typeName, field } of routes.flatMap((route) => sectionFields(schema, route))) {
    const key = `${typeName}.${field.name}`;
    sections.set(key, new Set([...(sections.get(key) ?? []), ...Object.keys(section.parameters ?? {})]));
  }
  const limited = new Map(routes.flatMap(({ shows }) => Object.entries(shows ?? {})));
  const view = mapSchema(schema, {
    [MapperKind.ROOT_FIELD]: (field, name, typeName) => (shown.has(`${typeName}.${name}`) ? field : null),
    [MapperKind.OBJECT_FIELD]: (field, name, typeName) => {
      const offered = Object.entries(field.args ?? {});
      const kept = sections.get(`${typeName}.${name}`);
      if (kept !== undefined) {
        return { ...field, args: Object.fromEntries(offered.filter(([argument]) => kept.has(argument))) };
      }
      return offered.length === 0 && limited.get(typeName)?.includes(name) !== false ? field : null;
    },
  });
  return pruneSchema(view);
}

/** Fields that a response may lack because their section is conditional, as `Type.field`. */
export const conditionalFields = (schema: GraphQLSchema, routes: readonly RestRoute[]): ReadonlySet<string> =>
  new Set(
    routes
      .flatMap((route) => sectionFields(schema, route))
      .filter(({ section }) => section.condition !== undefined)
      .map(({ typeName, field }) => `${typeName}.${field.name}`),
  );
