/*
 * Imported before all packages: `graphql` checks on every use of a type that there is one copy of the package, unless this
 * variable has this value when it is loaded. The check took 29 % of the time of introspection under aliases.
 */
process.env['NODE_ENV'] ??= 'production';
