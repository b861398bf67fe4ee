/*
 * Imported before all packages: `graphql` checks on every use of a type that there is one copy of the package, unless this
 * variable has this value when it is loaded. The check takes a third of the time of a document.
 */
process.env['NODE_ENV'] ??= 'production';
