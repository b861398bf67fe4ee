import { buildSchema, type FieldNode, parse, visit } from 'graphql';
import { readSupergraphFacts } from '../supergraph-facts';
import { createDataKeys } from './data-keys';

const SDL = 'type Query { w: W u: U } type W { id: ID! label(lang: String): String x: Int } type U { w: W }';
const facts = readSupergraphFacts(parse(SDL), buildSchema(SDL));

function keysIn(source: string): readonly string[] {
  const document = parse(source);
  const keyOf = createDataKeys(document, facts);
  const fields: FieldNode[] = [];
  visit(document, { Field: (field) => void fields.push(field) });
  return fields.map((field) => keyOf(field));
}

describe('the keys under which fields are planned', () => {
  it('are the names of fields without arguments, and aliases that no field has', () => {
    expect(keysIn('{ w { id mine: id x } }')).toEqual(['w', 'id', 'mine', 'x']);
  });

  it('differ for each meaning of a response key', () => {
    expect(keysIn('{ a: w { l: label } b: w { l: label(lang: "e") } c: w { l: label } d: w { l: x } }')).toEqual([
      'a',
      'l',
      'b',
      'l_2',
      'c',
      'l',
      'd',
      'l_3',
    ]);
  });

  it('are never the name of another field or of a field with arguments', () => {
    expect(keysIn('{ w { id: x label x: label(lang: "e") } }')).toEqual(['w', 'id_2', 'label_2', 'x_2']);
  });

  it('do not collide with aliases of the document', () => {
    expect(keysIn('{ w { label label_2: x } }')).toEqual(['w', 'label_3', 'label_2']);
  });

  it('are never a key that every object inherits', () => {
    expect(keysIn('{ constructor: w { toString: x hasOwnProperty: id } }')).toEqual([
      'constructor_2',
      'toString_2',
      'hasOwnProperty_2',
    ]);
  });

  it('do not depend on the order of arguments', () => {
    const [one, other] = keysIn('{ f(a: 1, b: 2) f(b: 2, a: 1) }');
    expect(one).toBe(other);
  });
});
