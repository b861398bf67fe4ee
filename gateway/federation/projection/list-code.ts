import { getNullableType, type GraphQLOutputType, isNonNullType } from 'graphql';
import type { Selections } from '../document/operation-tree';
import type { CodeContext, ValueCode } from './code-context';

/** Nulls inside lists are always kept, because they preserve the positions of other items. */
export function listCode(context: CodeContext, itemType: GraphQLOutputType, below: readonly Selections[]): ValueCode {
  const name = context.once(`[${String(itemType)}]${context.keyOf(below)}`, () => {
    const item = context.valueCode(getNullableType(itemType), below);
    const body = context.source.output === 'json' ? jsonBody : objectBody;
    return context.addFunction(`if(!Array.isArray(o))return violation(s);${body(item, isNonNullType(itemType))}`);
  });
  return { expression: (variable) => `${name}(${variable},s)`, mayFail: true, isText: false };
}

function jsonBody(item: ValueCode, nonNull: boolean): string {
  const hole = nonNull ? 'return violation(s)' : `{r+=i>0?',null':'null';continue}`;
  const failed = nonNull ? 'return null' : `v='null'`;
  const check = item.mayFail ? `if(v===null)${failed};` : '';
  return `let r='[';for(let i=0;i<o.length;i++){let v=o[i];if(v==null)${hole};v=${item.expression('v')};${check}r+=i>0?','+v:v}return r+']'`;
}

function objectBody(item: ValueCode, nonNull: boolean): string {
  const hole = nonNull ? 'return violation(s)' : '{r[i]=null;continue}';
  const check = item.mayFail && nonNull ? 'if(v===null)return null;' : '';
  return `const r=new Array(o.length);for(let i=0;i<o.length;i++){let v=o[i];if(v==null)${hole};v=${item.expression('v')};${check}r[i]=v}return r`;
}
