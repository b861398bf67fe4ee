import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ simpleResolvers: true })
export class ProductVariation {
  @Field(() => ID)
  id!: string;
}

@ObjectType({ simpleResolvers: true })
@Directive('@shareable')
export class ProductDimension {
  @Field(() => String, { nullable: true })
  size?: string;

  @Field(() => Float, { nullable: true })
  weight?: number;

  @Directive('@inaccessible')
  @Field(() => String, { nullable: true })
  unit?: string;
}

@ObjectType({ simpleResolvers: true })
export class CaseStudy {
  @Field(() => ID)
  caseNumber!: string;

  @Field(() => String, { nullable: true })
  description?: string;
}

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "study { caseNumber }")')
export class ProductResearch {
  @Field(() => CaseStudy)
  study!: CaseStudy;

  @Field(() => String, { nullable: true })
  outcome?: string;
}

@ObjectType()
@Directive('@key(fields: "email")')
export class User {
  @Field(() => ID)
  email!: string;

  @Directive('@override(from: "users")')
  @Field(() => String, { nullable: true })
  name?: string;

  @Directive('@external')
  @Field(() => Int, { nullable: true })
  totalProductsCreated?: number;

  @Directive('@external')
  @Field(() => Int)
  yearsOfEmployment!: number;
}

@ObjectType({ simpleResolvers: true })
@Directive('@custom')
@Directive('@key(fields: "id")')
@Directive('@key(fields: "sku package")')
@Directive('@key(fields: "sku variation { id }")')
export class Product {
  @Field(() => ID)
  id!: string;

  @Field(() => String, { nullable: true })
  sku?: string;

  @Field(() => String, { nullable: true })
  package?: string;

  @Field(() => ProductVariation, { nullable: true })
  variation?: ProductVariation;

  @Field(() => ProductDimension, { nullable: true })
  dimensions?: ProductDimension;

  @Directive('@provides(fields: "totalProductsCreated")')
  @Field(() => User, { nullable: true })
  createdBy?: User;

  @Directive('@tag(name: "internal")')
  @Field(() => String, { nullable: true })
  notes?: string;

  @Field(() => [ProductResearch])
  research!: ProductResearch[];
}

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "sku package")')
export class DeprecatedProduct {
  @Field(() => String)
  sku!: string;

  @Field(() => String)
  package!: string;

  @Field(() => String, { nullable: true })
  reason?: string;

  @Field(() => User, { nullable: true })
  createdBy?: User;
}

@ObjectType({ simpleResolvers: true })
@Directive('@interfaceObject')
@Directive('@key(fields: "id")')
export class Inventory {
  @Field(() => ID)
  id!: string;

  @Field(() => [DeprecatedProduct])
  deprecatedProducts!: DeprecatedProduct[];
}
