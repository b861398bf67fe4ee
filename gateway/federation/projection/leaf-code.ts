import { type GraphQLLeafType, isEnumType } from 'graphql';
import type { CodeContext, ValueCode } from './code-context';

const JSON_CODE: Readonly<Record<string, (variable: string) => string>> = {
  Int: (variable) => `(typeof ${variable}==='number'?''+${variable}:stringify(${variable}))`,
  Float: (variable) => `(typeof ${variable}==='number'?''+${variable}:stringify(${variable}))`,
  Boolean: (variable) => `(${variable}===true?'true':${variable}===false?'false':stringify(${variable}))`,
};

/** Enums and most scalars are strings on the wire. */
const textCode = (variable: string): string => `text(${variable})`;

/** Subgraphs have already serialized their leaves. This code hides inaccessible values and writes JSON. */
export function leafCode(context: CodeContext, type: GraphQLLeafType): ValueCode {
  const { output, facts } = context.source;
  const asJson = JSON_CODE[type.name] ?? textCode;
  const expression = output === 'json' ? asJson : (variable: string) => variable;
  if (!isEnumType(type) || !facts.partlyHiddenEnums.has(type.name)) {
    return { expression, mayFail: false, isText: expression === textCode };
  }
  const shown = context.addConstant(new Set(type.getValues().map((value) => value.name)));
  return {
    expression: (variable) => `(${shown}.has(${variable})?${expression(variable)}:violation(s))`,
    mayFail: true,
    isText: false,
  };
}
