import {
  type DocumentNode,
  getNamedType,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  typeFromAST,
  type TypeNode,
  visit,
} from 'graphql';

/** True when the type of a variable is recursive: compiling the coercion of such a type would never end. */
export function usesRecursiveInput(schema: GraphQLSchema, document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    VariableDefinition({ type }) {
      const declared = typeFromAST(schema, type as Extract<TypeNode, { kind: 'NamedType' }>);
      const named = isInputType(declared) ? getNamedType(declared) : undefined;
      if (isInputObjectType(named) && isRecursive(named, new Set())) found = true;
      return false;
    },
  });
  return found;
}

function isRecursive(type: GraphQLInputObjectType, above: Set<GraphQLInputObjectType>): boolean {
  if (above.has(type)) return true;
  above.add(type);
  const recursive = Object.values(type.getFields()).some((field) => {
    const named = getNamedType(field.type);
    return isInputObjectType(named) && isRecursive(named, above);
  });
  above.delete(type);
  return recursive;
}
