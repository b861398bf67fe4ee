import type { FormattedExecutionResult } from 'graphql';

/**
 * The JSON text of results. The text of a whole schema is kept: it has a megabyte, and takes ten milliseconds to write.
 * A frozen `__schema` never changes.
 */
export function createResultRenderer(): (result: FormattedExecutionResult) => string {
  const schemas = new WeakMap<object, string>();
  const textOf = (schema: object): string => {
    const text = schemas.get(schema) ?? JSON.stringify(schema);
    schemas.set(schema, text);
    return text;
  };
  return (result) => {
    const schema = frozenSchema(result.data);
    if (schema === undefined) return `${JSON.stringify(result)}\n`;
    const others = JSON.stringify({ ...result, data: undefined }).slice(1);
    return `{"data":{"__schema":${textOf(schema)}}${others === '}' ? '' : ','}${others}\n`;
  };
}

/** The value of `__schema`, when it is the only field and can never change. */
function frozenSchema(data: FormattedExecutionResult['data']): object | undefined {
  const [[name, value] = [], ...others] = Object.entries(data ?? {});
  const isAlone = name === '__schema' && others.length === 0;
  return isAlone && typeof value === 'object' && value !== null && Object.isFrozen(value) ? value : undefined;
}
