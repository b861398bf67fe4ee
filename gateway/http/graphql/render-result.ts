import type { FormattedExecutionResult } from 'graphql';

/**
 * The JSON text of results. The text of the only field is kept when its value is frozen and therefore never changes: a whole
 * schema has a megabyte, and takes ten milliseconds to write; the overview of a wallet is served many times.
 */
export function createResultRenderer(): (result: FormattedExecutionResult) => string {
  const texts = new WeakMap<object, string>();
  const textOf = (value: object): string => {
    const text = texts.get(value) ?? JSON.stringify(value);
    texts.set(value, text);
    return text;
  };
  return (result) => {
    const only = frozenField(result.data);
    if (only === undefined) return `${JSON.stringify(result)}\n`;
    const others = JSON.stringify({ ...result, data: undefined }).slice(1);
    const data = `{${JSON.stringify(only.name)}:${textOf(only.value)}}`;
    return `{"data":${data}${others === '}' ? '' : ','}${others}\n`;
  };
}

/** The only field, when its value can never change. */
function frozenField(
  data: FormattedExecutionResult['data'],
): { readonly name: string; readonly value: object } | undefined {
  const [[name, value] = [], ...others] = Object.entries(data ?? {});
  if (name === undefined || others.length > 0 || typeof value !== 'object' || value === null) return undefined;
  return Object.isFrozen(value) ? { name, value } : undefined;
}
