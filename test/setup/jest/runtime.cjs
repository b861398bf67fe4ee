const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');
const { loadShared } = require('./environment.cjs');

const root = path.resolve(__dirname, '../../..');

/** Folders whose modules are loaded from the build. */
const FOLDERS = ['src', 'subgraphs', 'gateway', 'devnet'].map((folder) => path.join(root, folder, path.sep));

/** Whether `npm test` has built the service. Otherwise, as in Stryker's copies, its sources are loaded for each test file. */
const isBuilt = Boolean(process.env.AFLUENTE_TEST_BUILD);

/** Loaded modules by importing folder and specifier. Saves resolving hundreds of imports in each test file. */
const loaded = new Map();

const isPackage = (specifier) => /^[a-z@]/i.test(specifier) && !isBuiltin(specifier);

/** Path of the built module that an import refers to. `undefined` for any other import. */
function builtModule(folder, specifier) {
  if (!isBuilt || !specifier.startsWith('.')) return undefined;
  const source = path.resolve(folder, specifier);
  const isOfService = FOLDERS.some((each) => source.startsWith(each));
  return isOfService ? path.join(root, 'dist', path.relative(root, source)) : undefined;
}

/** A package or built module with its `exports`, loaded at the first import. `undefined` for modules that each test file loads. */
function requireShared(from, specifier) {
  const folder = path.dirname(from);
  const key = `${folder}\0${specifier}`;
  if (!loaded.has(key)) {
    const file = isPackage(specifier) ? specifier : builtModule(folder, specifier);
    loaded.set(key, file && { exports: loadShared(() => createRequire(from)(file)) });
  }
  return loaded.get(key);
}

/**
 * Loads packages, those of jest included, and the modules of the service once per worker, with Node's own loader. The
 * modules of tests, and jest-circus, which keeps the tests of a file, are loaded once per test file. Requires
 * `environment.cjs`.
 */
module.exports = class SharingRuntime extends Runtime {
  requireModule(from, specifier, ...rest) {
    const isInternal = rest[0]?.isInternalModule === true;
    const shared = isInternal || specifier === undefined ? undefined : requireShared(from, specifier);
    return shared ? shared.exports : super.requireModule(from, specifier, ...rest);
  }

  requireInternalModule(from, specifier) {
    return specifier !== undefined && isPackage(specifier)
      ? requireShared(from, specifier).exports
      : super.requireInternalModule(from, specifier);
  }
};
