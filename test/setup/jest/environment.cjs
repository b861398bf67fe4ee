const vm = require('node:vm');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** Stands for the context of the process: code of a test file is compiled there and not in a context of its own. */
const PROCESS_CONTEXT = {};
const { compileFunction } = vm;
vm.compileFunction = (code, parameters, options) =>
  options?.parsingContext === PROCESS_CONTEXT
    ? compileOnce(code, parameters, { ...options, parsingContext: undefined })
    : compileFunction(code, parameters, options);

/** The bytecode of each module by its file: test files of a worker load jest-circus and modules of tests again. */
const compiled = new Map();

function compileOnce(code, parameters, options) {
  const key = parameters.join();
  const known = compiled.get(options.filename);
  if (known?.code === code && known.key === key) {
    return compileFunction(code, parameters, { ...options, cachedData: known.cachedData });
  }
  const compiling = compileFunction(code, parameters, { ...options, produceCachedData: true });
  compiled.set(options.filename, { code, key, cachedData: compiling.cachedData });
  return compiling;
}

const listenersOfProcess = () => process.eventNames().flatMap((name) => process.rawListeners(name));

/**
 * What shared modules added to the process when they were loaded: they stay loaded, so it stays too. type-graphql
 * creates its global at the first decorator, which may be in a test.
 */
const ofShared = {
  globals: new Set(process.env.AFLUENTE_TEST_BUILD ? ['TypeGraphQLMetadataStorage'] : []),
  listeners: new Set(),
};

/** Loads a module that files of this process share. */
function loadShared(load) {
  const globals = new Set(Reflect.ownKeys(globalThis));
  const listeners = new Set(listenersOfProcess());
  const loaded = load();
  for (const name of Reflect.ownKeys(globalThis)) if (!globals.has(name)) ofShared.globals.add(name);
  for (const listener of listenersOfProcess()) if (!listeners.has(listener)) ofShared.listeners.add(listener);
  return loaded;
}

/** What a test file may change in its process, and what is put back after it. */
const snapshot = () => ({
  globals: Object.getOwnPropertyDescriptors(globalThis),
  environment: { ...process.env },
  exit: process.exit,
  listeners: new Set(listenersOfProcess()),
});

function restoreGlobals(before) {
  for (const name of Reflect.ownKeys(globalThis)) {
    const isAdded = !Object.hasOwn(before, name) && !ofShared.globals.has(name);
    if (isAdded) Reflect.deleteProperty(globalThis, name);
  }
  for (const [name, descriptor] of Object.entries(before)) {
    if (descriptor.configurable) Object.defineProperty(globalThis, name, descriptor);
    else if (descriptor.writable) globalThis[name] = descriptor.value;
  }
}

function restoreEnvironment(before) {
  for (const name of Object.keys(process.env)) {
    if (!Object.hasOwn(before, name)) Reflect.deleteProperty(process.env, name);
  }
  Object.assign(process.env, before);
}

function removeListeners(before) {
  for (const name of process.eventNames()) {
    const added = process.rawListeners(name).filter((each) => !before.has(each) && !ofShared.listeners.has(each));
    for (const listener of added) process.removeListener(name, listener);
  }
}

function restore({ globals, environment, exit, listeners }) {
  restoreGlobals(globals);
  restoreEnvironment(environment);
  removeListeners(listeners);
  process.exit = exit;
}

/**
 * Runs a test file with the globals of its process. Files of a worker run one after another and share packages and the
 * modules of the service (`runtime.cjs`): with a context of its own for each file, an `Error` or `Uint8Array` of a shared package
 * would be another class than that of the test.
 */
module.exports = class ProcessEnvironment {
  static loadShared = loadShared;

  constructor({ projectConfig: config }) {
    this.before = snapshot();
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    const timerConfig = { idToRef: (id) => id, refToId: (timer) => timer };
    const { moduleMocker, global } = this;
    this.fakeTimers = new LegacyFakeTimers({ config, global, moduleMocker, timerConfig });
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
    Error.stackTraceLimit = 100;
  }

  async setup() {}

  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    restore(this.before);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return PROCESS_CONTEXT;
  }
};
