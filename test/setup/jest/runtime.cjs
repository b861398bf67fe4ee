const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');
const { loadShared } = require('./environment.cjs');

const root = path.resolve(__dirname, '../../..');

/** The folders of the service. What lies beside them belongs to the tests. */
const FOLDERS = ['src', 'subgraphs', 'gateway', 'devnet'].map((folder) => path.join(root, folder, path.sep));

/** Where `npm test` has built the service. Without it, as in mutated copies, its sources are loaded as any test file. */
const build = process.env.AFLUENTE_TEST_BUILD;

/** What this process has loaded, by importing folder and specifier: a test file imports hundreds of modules again. */
const loaded = new Map();

const isPackage = (specifier) => /^[a-z@]/i.test(specifier) && !isBuiltin(specifier);

/** The built module of the service that an import is about, if it is. */
function builtModule(folder, specifier) {
  if (build === undefined || !specifier.startsWith('.')) return undefined;
  const source = path.resolve(folder, specifier);
  const isOfService = FOLDERS.some((each) => source.startsWith(each));
  return isOfService ? path.join(build, path.relative(root, source)) : undefined;
}

/** `undefined` for what each test file loads for itself. */
function findShared(from, specifier) {
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
    const shared = isInternal || specifier === undefined ? undefined : findShared(from, specifier);
    return shared ? shared.exports : super.requireModule(from, specifier, ...rest);
  }

  requireInternalModule(from, specifier) {
    return specifier !== undefined && isPackage(specifier)
      ? findShared(from, specifier).exports
      : super.requireInternalModule(from, specifier);
  }
};
