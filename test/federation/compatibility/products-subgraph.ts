import { Arg, Args, ArgsType, Directive, Field, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { buildSubgraph, type Subgraph } from '../../../subgraphs/schema/build-subgraph';
import { DeprecatedProduct, Inventory, Product, type ProductResearch, User } from './products-types';

/** Values that the compatibility suite expects. */
const userData = {
  email: 'support@apollographql.com',
  name: 'Jane Smith',
  totalProductsCreated: 1337,
  yearsOfEmployment: 10,
};
const dimensions = { size: 'small', weight: 1, unit: 'kg' };
const deprecated: DeprecatedProduct = {
  sku: 'apollo-federation-v1',
  package: '@apollo/federation-v1',
  reason: 'Migrate to Federation V2',
  createdBy: userData,
};
const research: readonly ProductResearch[] = [
  { study: { caseNumber: '1234', description: 'Federation Study' } },
  { study: { caseNumber: '1235', description: 'Studio Study' } },
];
const products: readonly Product[] = [
  {
    id: 'apollo-federation',
    sku: 'federation',
    package: '@apollo/federation',
    variation: { id: 'OSS' },
    dimensions,
    createdBy: userData,
    research: research.slice(0, 1),
  },
  {
    id: 'apollo-studio',
    sku: 'studio',
    package: '',
    variation: { id: 'platform' },
    dimensions,
    createdBy: userData,
    research: research.slice(1),
  },
];

@ArgsType()
class DeprecatedProductArgs {
  @Field(() => String)
  sku!: string;

  @Field(() => String)
  package!: string;
}

@Resolver(() => User)
class ProductsResolver {
  @Query(() => Product, { nullable: true })
  product(@Arg('id', () => ID) id: string): Product | undefined {
    return products.find((product) => product.id === id);
  }

  @Query(() => DeprecatedProduct, { nullable: true, deprecationReason: 'Use product query instead' })
  deprecatedProduct(@Args() args: DeprecatedProductArgs): DeprecatedProduct | undefined {
    return findDeprecated(args);
  }

  @Directive('@requires(fields: "totalProductsCreated yearsOfEmployment")')
  @FieldResolver(() => Int, { nullable: true })
  averageProductsCreatedPerYear(@Root() { totalProductsCreated, yearsOfEmployment }: User): number {
    return Math.round((totalProductsCreated ?? 0) / yearsOfEmployment);
  }
}

const findDeprecated = ({ sku, package: name }: Readonly<Record<string, unknown>> | DeprecatedProductArgs) =>
  sku === deprecated.sku && name === deprecated.package ? deprecated : undefined;

type Reference = Readonly<Record<string, unknown>>;

function findProduct({ id, sku, package: name, variation }: Reference): Product | undefined {
  if (id !== undefined) return products.find((product) => product.id === id);
  const variationId = (variation as { id?: unknown } | undefined)?.id;
  return products.find(
    (product) =>
      product.sku === sku && (name === undefined ? product.variation?.id === variationId : product.package === name),
  );
}

/** The subgraph that the compatibility suite requires, built like the subgraphs of the service. */
export const productsSubgraph = (): Subgraph =>
  buildSubgraph({
    name: 'products',
    resolvers: [new ProductsResolver()],
    orphanedTypes: [Inventory],
    sdlHeader: `extend schema
  @link(url: "https://myspecs.dev/myCustomDirective/v1.0", import: ["@custom"])
  @federation__composeDirective(name: "@custom")

directive @custom on OBJECT`,
    references: {
      Product: findProduct,
      DeprecatedProduct: findDeprecated,
      ProductResearch: ({ study }) =>
        research.find((each) => each.study.caseNumber === (study as { caseNumber: string }).caseNumber),
      User: ({ email, ...external }) => (email === userData.email ? { ...userData, ...external } : undefined),
      Inventory: ({ id }) => (id === 'apollo-oss' ? { id, deprecatedProducts: [deprecated] } : undefined),
    },
  });
