import { graphql, printSchema } from 'graphql';
import { Authorized, Ctx, Directive, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { createRequestContext, type RequestContext } from '../../src/auth/request-context';
import type { CustomerId } from '../../src/auth/principal';
import { requireCustomer } from './authorization';
import { buildSubgraph } from './build-subgraph';
import { AmountScalar } from './scalars';

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "id")')
class Purse {
  @Field(() => ID)
  id!: string;

  @Field(() => AmountScalar)
  amount!: bigint;
}

@Resolver()
class PurseResolver {
  constructor(private readonly amount: bigint) {}

  @Authorized('apiKey')
  @Query(() => Purse)
  purse(@Ctx() context: RequestContext): Purse {
    return { id: requireCustomer(context), amount: this.amount };
  }
}

const subgraph = buildSubgraph({
  name: 'purses',
  resolvers: [new PurseResolver(2n ** 200n)],
  references: { Purse: ({ id }) => ({ id, amount: 1n }) },
});

const contextOf = (principal: RequestContext['principal']) =>
  createRequestContext({ requestId: 'r', principal, signal: new AbortController().signal });

const run = (source: string, principal?: RequestContext['principal']) =>
  graphql({ schema: subgraph.schema, source, contextValue: contextOf(principal) });

const key = { kind: 'apiKey', customerId: 'c1' as CustomerId, keyId: 'k' } as const;

describe('a subgraph', () => {
  it('declares its keys to the composition', () => {
    expect(subgraph.typeDefs).toContain('type Purse @key(fields: "id")');
    expect(printSchema(subgraph.schema)).toContain('_entities');
  });

  it('resolves with the instance that was given to it, and prints amounts exactly', async () => {
    const result = await run('{ purse { id amount } }', key);
    expect(result).toEqual({ data: { purse: { id: 'c1', amount: (2n ** 200n).toString() } } });
  });

  it('resolves an entity by the key that another subgraph sends', async () => {
    const result = await run(
      '{ _entities(representations: [{ __typename: "Purse", id: "x" }]) { ... on Purse { amount } } }',
    );
    expect(result.data).toEqual({ _entities: [{ amount: '1' }] });
  });

  it('rejects a field for a request without the required credential', async () => {
    const anonymous = await run('{ purse { id } }');
    expect(anonymous.errors?.[0]?.originalError).toMatchObject({ code: 'AUTHENTICATION_REQUIRED', status: 401 });
    const bearer = await run('{ purse { id } }', {
      kind: 'bearer',
      customerId: 'c1' as CustomerId,
      subject: 's',
      role: 'admin',
    });
    expect(bearer.errors?.[0]?.originalError).toMatchObject({
      code: 'INVALID_API_KEY',
      status: 401,
      message: expect.stringContaining('an access token does not replace it') as string,
    });
  });
});
