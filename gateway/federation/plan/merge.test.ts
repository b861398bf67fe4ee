import { parse } from 'graphql';
import { type DataObject, mergeObject } from './merge';
import { responseShapeOf } from './response-shape';

const shapeOf = (source: string) => responseShapeOf(parse(source), new Map());

function merged(
  target: DataObject,
  source: unknown,
  { fields, copy = false }: { fields: string; copy?: boolean },
): DataObject {
  mergeObject(target, source as DataObject, { shape: shapeOf(fields), copy, abstractTypes: new Set(['Work']) });
  return target;
}

describe('merging', () => {
  it('adds exactly the requested fields', () => {
    const source: unknown = JSON.parse('{"a":1,"b":2,"__proto__":{"polluted":true}}');
    expect(merged({ c: 3 }, source, { fields: '{ a }' })).toEqual({ a: 1, c: 3 });
    expect(({} as DataObject)['polluted']).toBeUndefined();
  });

  it('never replaces a value with null, and sets null where there is no value', () => {
    expect(merged({ a: 1, o: { x: 1 } }, { a: null, b: null, o: null }, { fields: '{ a b o { x } }' })).toEqual({
      a: 1,
      b: null,
      o: { x: 1 },
    });
  });

  it('replaces a null with an object', () => {
    expect(merged({ o: null }, { o: { x: 1 } }, { fields: '{ o { x } }' })).toEqual({ o: { x: 1 } });
  });

  it('merges lists element by element, whatever their nesting', () => {
    const target = { l: [{ a: 1 }, null, [{ a: 2 }]] };
    expect(merged(target, { l: [{ b: 1 }, { b: 2 }, [{ b: 3 }], { b: 4 }] }, { fields: '{ l { b } }' })).toEqual({
      l: [{ a: 1, b: 1 }, { b: 2 }, [{ a: 2, b: 3 }]],
    });
  });

  it('assigns leaves, also those that are objects, without touching the old one', () => {
    const old = { deep: 1 };
    expect(merged({ json: old }, { json: { other: 2 } }, { fields: '{ json }' })).toEqual({ json: { other: 2 } });
    expect(old).toEqual({ deep: 1 });
  });

  it('keeps the type of an object when a subgraph only has the interface, and replaces the interface with a type', () => {
    const named = (name: string) => ({ o: { __typename: name }, l: [{ __typename: name }] });
    const type = { fields: '{ o { __typename } l { __typename } }' };
    expect(merged(named('Novel'), named('Work'), type)).toEqual(named('Novel'));
    expect(merged(named('Work'), named('Novel'), type)).toEqual(named('Novel'));
    expect(merged(named('Work'), named('Work'), type)).toEqual(named('Work'));
    expect(merged({}, named('Work'), { ...type, copy: true })).toEqual(named('Work'));
  });

  it('copies share no objects with the source', () => {
    const source = { o: { x: { y: 1 } }, l: [{ y: 1 }, null] };
    const target = merged({}, source, { fields: '{ o { x { y } } l { y } }', copy: true });
    expect(target).toEqual(source);
    expect(target['o']).not.toBe(source.o);
    expect((target['l'] as unknown[])[0]).not.toBe(source.l[0]);
  });

  it('ignores values of another shape', () => {
    expect(merged({ o: { a: 1 }, l: [1] }, { o: [1], l: { b: 1 } }, { fields: '{ o { a } l { b } }' })).toEqual({
      o: { a: 1 },
      l: [1],
    });
    expect(merged({ o: 'text' }, { o: { a: 1 } }, { fields: '{ o { a } }' })).toEqual({ o: 'text' });
  });

  it('derives the shape from fragments and renamed keys', () => {
    const shape = responseShapeOf(
      parse('{ a { x ...F } ... on Q { b } } fragment F on A { y: x internal: z }'),
      new Map([['internal', 'z']]),
    );
    expect(shape.keys).toEqual(['a', 'b']);
    expect(shape.children[0]?.keys).toEqual(['x', 'y', 'z']);
  });
});
