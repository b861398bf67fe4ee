import {
  buildASTSchema,
  type DocumentNode,
  type GraphQLScalarType,
  type GraphQLSchema,
  isScalarType,
  valueFromASTUntyped,
} from 'graphql';

type ScalarBehaviour = Pick<GraphQLScalarType, 'serialize' | 'parseValue' | 'parseLiteral'>;

export interface GraphSchemas {
  /** Public schema with the real scalars. */
  readonly schema: GraphQLSchema;
  /** The same schema with scalars that validate values without converting them; see `compileVariables`. */
  readonly wireSchema: GraphQLSchema;
}

export function buildGraphSchemas(publicSdl: DocumentNode, scalars: readonly GraphQLScalarType[]): GraphSchemas {
  return {
    schema: bindScalars(publicSdl, scalars, (scalar) => scalar),
    wireSchema: bindScalars(publicSdl, scalars, checkOnly),
  };
}

function bindScalars(
  publicSdl: DocumentNode,
  scalars: readonly GraphQLScalarType[],
  behaviourOf: (scalar: GraphQLScalarType) => ScalarBehaviour,
): GraphQLSchema {
  const schema = buildASTSchema(publicSdl, { assumeValid: true });
  for (const scalar of scalars) {
    const declared = schema.getType(scalar.name);
    if (!isScalarType(declared)) continue;
    const { serialize, parseValue, parseLiteral } = behaviourOf(scalar);
    Object.assign(declared, { serialize, parseValue, parseLiteral });
  }
  return schema;
}

function checkOnly(scalar: GraphQLScalarType): ScalarBehaviour {
  return {
    serialize: (value) => value,
    parseValue(value) {
      scalar.parseValue(value);
      return value;
    },
    parseLiteral(node, variables) {
      scalar.parseLiteral(node, variables);
      return valueFromASTUntyped(node, variables);
    },
  };
}
