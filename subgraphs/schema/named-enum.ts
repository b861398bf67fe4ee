/** Builds an enum of names: type-graphql takes enums as objects. */
export const namedEnum = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, Name>> =>
  Object.fromEntries(names.map((name) => [name, name])) as Record<Name, Name>;
