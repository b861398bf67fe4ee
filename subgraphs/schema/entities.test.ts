import { graphql, parse } from 'graphql';
import { compileQuery } from 'graphql-jit';
import { Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { createRequestContext } from '../../src/auth/request-context';
import { serviceError } from '../../src/errors/service-error';
import { buildSubgraph } from './build-subgraph';

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "id")')
class Coin {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  symbol!: string;
}

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "id")')
class Venue {
  @Field(() => ID)
  id!: string;
}

@Resolver()
class CoinResolver {
  @Query(() => Coin, { nullable: true })
  coin(): null {
    return null;
  }
}

const COINS = new Map([['dai', Object.freeze({ __typename: 'Coin', id: 'dai', symbol: 'DAI' })]]);

const { schema } = buildSubgraph({
  name: 'coins',
  resolvers: [new CoinResolver()],
  orphanedTypes: [Venue],
  references: {
    Coin: ({ id }) => {
      if (id === 'broken') throw serviceError('NOT_FOUND', { method: 'GET', path: '/' });
      if (id === 'late') return Promise.resolve({ id, symbol: 'LATE' });
      if (id === 'other') return { __typename: 'StableCoin', id, symbol: 'OTHER' };
      return COINS.get(String(id));
    },
  },
});

const DOCUMENT = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) { __typename ... on Coin { symbol } ... on Venue { id } }
}`;

const contextValue = createRequestContext({
  requestId: 'r',
  principal: undefined,
  signal: new AbortController().signal,
});

const entities = (...representations: readonly object[]) =>
  graphql({ schema, source: DOCUMENT, contextValue, variableValues: { representations } });

describe('the entities of a subgraph', () => {
  it('are returned in the order of their representations, whether they are synchronous or fetched', async () => {
    const { data, errors } = await entities(
      { __typename: 'Coin', id: 'late' },
      { __typename: 'Venue', id: 'v' },
      { __typename: 'Coin', id: 'dai' },
      { __typename: 'Coin', id: 'unknown' },
      { __typename: 'Coin', id: 'other' },
    );
    expect(errors).toBeUndefined();
    expect(data?.['_entities']).toEqual([
      { __typename: 'Coin', symbol: 'LATE' },
      { __typename: 'Venue', id: 'v' },
      { __typename: 'Coin', symbol: 'DAI' },
      null,
      { __typename: 'Coin', symbol: 'OTHER' },
    ]);
  });

  it('are returned synchronously when their resolvers are synchronous', () => {
    const compiled = compileQuery(schema, parse(DOCUMENT));
    if (!('query' in compiled)) throw new Error('the document does not compile');
    const representations = [{ __typename: 'Coin', id: 'dai' }];
    expect(compiled.query(undefined, contextValue, { representations })).toEqual({
      data: { _entities: [{ __typename: 'Coin', symbol: 'DAI' }] },
    });
  });

  it('fail independently of each other', async () => {
    const { data, errors } = await entities({ __typename: 'Coin', id: 'broken' }, { __typename: 'Coin', id: 'dai' });
    expect(data?.['_entities']).toEqual([null, { __typename: 'Coin', symbol: 'DAI' }]);
    expect(errors?.map(({ path, originalError }) => [path, originalError])).toEqual([
      [['_entities', 0], expect.objectContaining({ code: 'NOT_FOUND' })],
    ]);
  });

  it('are rejected when the type does not exist', async () => {
    const { errors } = await entities({ __typename: 'Planet', id: 'mars' });
    expect(errors?.[0]?.message).toContain('"Planet"');
  });
});
