const { createRequire, isBuiltin } = require('node:module');
const { default: Runtime } = require('jest-runtime');
const { loadShared } = require('./environment.cjs');

const isPackage = (specifier) => /^[a-z@]/i.test(specifier) && !isBuiltin(specifier);

/**
 * Loads packages once per worker, with Node's own loader, and the project's own modules once per test file. Requires
 * `environment.cjs`.
 */
module.exports = class SharingRuntime extends Runtime {
  requireModule(from, specifier, ...rest) {
    const isInternal = rest[0]?.isInternalModule === true;
    if (isInternal || specifier === undefined || !isPackage(specifier)) {
      return super.requireModule(from, specifier, ...rest);
    }
    return loadShared(() => createRequire(from)(specifier));
  }
};
