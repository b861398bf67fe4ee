import type { CompositeType } from '../document/collect-fields';
import { literal, textLiteral } from '../generated-function';
import type { CodeContext } from './code-context';
import { propertyCode, type PropertyCode } from './property-code';
import type { Selections } from '../document/operation-tree';

export interface ObjectPlace {
  readonly type: CompositeType;
  /** `undefined` when the type of the object depends on the data. */
  readonly typeName: string | undefined;
  readonly levels: readonly Selections[];
}

/** Body of a function that completes an object of one type. */
export function objectBody(context: CodeContext, { type, typeName, levels }: ObjectPlace): string {
  const properties: PropertyCode[] = [];
  for (const collected of context.source.fieldsOf(type, levels).values()) {
    const code = propertyCode(context, { type, typeName, variable: `v${properties.length}` }, collected);
    if (code !== undefined) properties.push(code);
  }
  const isWhole = properties.every((property) => !property.droppedWhenNull);
  if (context.source.output === 'json') return isWhole ? wholeJson(properties) : partialJson(properties);
  return isWhole ? wholeObject(properties) : partialObject(properties);
}

const statementsOf = (properties: readonly PropertyCode[]): string =>
  properties.map(({ statements }) => statements).join('');

/**
 * When all texts of an object are plain, their quotes become part of the fixed text around them, which halves the number of
 * concatenated strings.
 */
function wholeJson(properties: readonly PropertyCode[]): string {
  const texts = properties.filter(({ toText }) => toText !== undefined);
  if (texts.length === 0) return `${statementsOf(properties)}return ${jsonOf(properties, '')}`;
  const arePlain = texts.map(({ variable }) => `plain(${variable})`).join('&&');
  const fast = `if(${arePlain})return ${jsonOf(properties, '"')};`;
  const toTexts = texts.map(({ toText }) => toText).join('');
  return `${statementsOf(properties)}${fast}${toTexts}return ${jsonOf(properties, '')}`;
}

/** The expression that builds an object. `quote` surrounds text values. */
function jsonOf(properties: readonly PropertyCode[], quote: '' | '"'): string {
  const parts: string[] = [];
  let text = '{';
  properties.forEach(({ responseKey, constant, variable, toText }, index) => {
    text += `${index > 0 ? ',' : ''}${JSON.stringify(responseKey)}:`;
    if (constant !== undefined) text += constant;
    else {
      const quoted = toText === undefined ? '' : quote;
      parts.push(textLiteral(text + quoted), variable);
      text = quoted;
    }
  });
  return [...parts, textLiteral(`${text}}`)].join('+');
}

function partialJson(properties: readonly PropertyCode[]): string {
  const pieces = properties.map(({ statements, responseKey, constant, variable, droppedWhenNull, toText = '' }) => {
    const key = `${JSON.stringify(responseKey)}:`;
    const value = constant === undefined ? `${textLiteral(key)}+${variable}` : textLiteral(key + constant);
    return `${statements}${toText}${droppedWhenNull ? `if(${variable}!==null)` : ''}{r+=c+${value};c=','}`;
  });
  return `let r='',c='{';${pieces.join('')}return r===''?'{}':r+'}'`;
}

const objectValue = ({ constant, variable }: PropertyCode): string =>
  constant === undefined ? variable : textLiteral(constant);

function wholeObject(properties: readonly PropertyCode[]): string {
  const entries = properties.map((property) => `${literal(property.responseKey)}:${objectValue(property)}`);
  return `${statementsOf(properties)}return {${entries.join(',')}}`;
}

function partialObject(properties: readonly PropertyCode[]): string {
  const pieces = properties.map((property) => {
    const condition = property.droppedWhenNull ? `if(${property.variable}!==null)` : '';
    return `${property.statements}${condition}r[${literal(property.responseKey)}]=${objectValue(property)};`;
  });
  return `const r={};${pieces.join('')}return r`;
}
