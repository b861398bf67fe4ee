import type { RequiresSelection } from '@graphql-hive/router-query-planner';
import { buildSchema, parse } from 'graphql';
import { compileRepresentations, type RepresentationSource } from './representation';
import { readSupergraphFacts } from '../supergraph-facts';

const SDL = `type Query { x: Int }
  interface Asset { id: ID! } type Coin implements Asset { id: ID! size: Int } type Nft implements Asset { id: ID! }
  type Token { address: ID! chain: Chain price(c: String): Int } type Chain { id: ID! }`;
const facts = readSupergraphFacts(parse(SDL), buildSchema(SDL));

const field = (name: string, ...selections: RequiresSelection[]): RequiresSelection => ({
  kind: 'Field',
  name,
  ...(selections.length > 0 ? { selections } : {}),
});
const on = (typeCondition: string, ...selections: RequiresSelection[]): RequiresSelection => ({
  kind: 'InlineFragment',
  typeCondition,
  selections,
});

function makerOf(
  object: Record<string, unknown>,
  source: Partial<RepresentationSource> & Pick<RepresentationSource, 'requires'>,
) {
  const maker = compileRepresentations({ inputRewrites: undefined, facts, renames: new Set(), ...source })(object);
  return { representation: maker.make(object), keyOf: maker.keyOf };
}

const token = [on('Token', field('__typename'), field('address'), field('chain', field('id')))];

describe('a representation', () => {
  it('holds what the subgraph requires, with the type names that the data has', () => {
    const object = { __typename: 'Token', address: 'a', chain: { __typename: 'Chain', id: 1, extra: 2 }, other: 3 };
    expect(makerOf(object, { requires: token }).representation).toEqual({
      __typename: 'Token',
      address: 'a',
      chain: { __typename: 'Chain', id: 1 },
    });
  });

  it('has the type of its only fragment when the data has none', () => {
    expect(makerOf({ address: 'a', chain: null }, { requires: token }).representation).toEqual({
      __typename: 'Token',
      address: 'a',
      chain: null,
    });
    expect(
      makerOf({ id: 'a' }, { requires: [on('Coin', field('id')), on('Nft', field('id'))] }).representation,
    ).toBeUndefined();
  });

  it('is dropped when a required field is unknown, at any depth, and sent when it is null', () => {
    expect(makerOf({ __typename: 'Token', address: 'a' }, { requires: token }).representation).toBeUndefined();
    expect(
      makerOf({ __typename: 'Token', address: 'a', chain: {} }, { requires: token }).representation,
    ).toBeUndefined();
    expect(
      makerOf({ __typename: 'Token', address: 'a', chain: [{ id: 1 }, {}] }, { requires: token }).representation,
    ).toBeUndefined();
    expect(makerOf({ __typename: 'Token', address: null, chain: null }, { requires: token }).representation).toEqual({
      __typename: 'Token',
      address: null,
      chain: null,
    });
  });

  it('keeps the nulls of lists', () => {
    const object = { __typename: 'Token', address: 'a', chain: [{ id: 1 }, null, [{ id: 2 }]] };
    expect(makerOf(object, { requires: token }).representation?.['chain']).toEqual([{ id: 1 }, null, [{ id: 2 }]]);
  });

  it('is sent as the interface where that is an object, with the fields of the original type', () => {
    const inputRewrites = [
      { ValueSetter: { path: [{ TypenameEquals: ['Asset'] }, { Key: '__typename' }], setValueTo: 'Asset' } },
    ];
    const requires = [on('Coin', field('id'), field('size')), on('Nft', field('id'))];
    expect(makerOf({ __typename: 'Coin', id: '1', size: 2 }, { requires, inputRewrites }).representation).toEqual({
      __typename: 'Asset',
      id: '1',
      size: 2,
    });
    expect(makerOf({ __typename: 'Nft', id: '1', size: 2 }, { requires, inputRewrites }).representation).toEqual({
      __typename: 'Asset',
      id: '1',
    });
    const spelledOtherwise = [
      {
        kind: 'ValueSetter' as const,
        path: [{ TypenameEquals: ['Asset'] }, { Key: '__typename' }],
        setValueTo: 'Asset',
      },
    ];
    expect(
      makerOf({ __typename: 'Coin', id: '1', size: 2 }, { requires, inputRewrites: spelledOtherwise }).representation,
    ).toMatchObject({ __typename: 'Asset' });
  });

  it('is not sent for an object that no fragment fits, also where the subgraph has only the interface', () => {
    const requires = [on('Coin', field('__typename'), field('id'))];
    const path = [{ TypenameEquals: ['Asset'] }, { Key: '__typename' }];
    const inputRewrites = [{ ValueSetter: { path, setValueTo: 'Asset' } }];
    expect(makerOf({ __typename: 'Nft', id: '1' }, { requires, inputRewrites }).representation).toBeUndefined();
    expect(makerOf({ __typename: 'Token', id: '1' }, { requires }).representation).toBeUndefined();
    expect(makerOf({ __typename: 'Asset' }, { requires }).representation).toBeUndefined();
  });

  it('includes present fields of an implementation when the data has only the interface type', () => {
    const requires = [on('Coin', field('id'), field('size'))];
    expect(makerOf({ __typename: 'Asset', id: '1' }, { requires }).representation).toEqual({
      __typename: 'Asset',
      id: '1',
    });
  });

  it('reads an aliased field from its internal key, and from the plain one only if this plan renamed it', () => {
    const requires: RequiresSelection[] = [
      on('Token', { kind: 'Field', name: '_internal_qp_alias_0', alias: 'price' }),
    ];
    expect(makerOf({ __typename: 'Token', _internal_qp_alias_0: 1, price: 9 }, { requires }).representation).toEqual({
      __typename: 'Token',
      price: 1,
    });
    expect(makerOf({ __typename: 'Token', price: 9 }, { requires }).representation).toBeUndefined();
    const renames = new Set(['_internal_qp_alias_0>price']);
    expect(makerOf({ __typename: 'Token', price: 9 }, { requires, renames }).representation).toEqual({
      __typename: 'Token',
      price: 9,
    });
  });

  it('has a key that no other representation has', () => {
    const requires = [on('Token', field('address'), field('name'))];
    const keyOf = (address: unknown, name: unknown): string => {
      const { representation, keyOf: key } = makerOf({ __typename: 'Token', address, name }, { requires });
      return key(representation!);
    };
    const keys = [
      ['a', 'b'],
      ['ab', ''],
      ['', 'ab'],
      ['a,b', ''],
      ['1', 'a'],
      [1, 'a'],
      [null, 'a'],
      ['null', 'a'],
      ['{"__typename":"Token"}', ''],
    ];
    expect(new Set(keys.map(([address, name]) => keyOf(address, name))).size).toBe(keys.length);
    expect(keyOf('a', 'b')).toBe(keyOf('a', 'b'));
  });

  it('does not cache types that only a subgraph returns', () => {
    const makers = compileRepresentations({ requires: token, inputRewrites: undefined, facts, renames: new Set() });
    for (let i = 0; i < 2000; i++) makers({ __typename: `T${i}` });
    expect(
      makers({ __typename: '";throw 1;"', address: 'a', chain: null }).make({ address: 'a', chain: null }),
    ).toEqual({ __typename: 'Token', address: 'a', chain: null });
  });
});
