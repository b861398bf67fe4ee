import { z } from 'zod';

const versions = z.record(z.string(), z.string()).default({});

const lockedPackage = z.object({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  license: z.string().optional(),
  /** True when only development needs it. */
  dev: z.boolean().default(false),
  /** True when an installation goes on without it, as for packages of other platforms. */
  optional: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});

const lockfile = z.object({ lockfileVersion: z.literal(3), packages: z.record(z.string(), lockedPackage) });

/** What the lockfile says of one installed package. */
export interface LockedPackage extends z.infer<typeof lockedPackage> {
  /** Its folder, such as `node_modules/a/node_modules/b`; empty for the project itself. */
  readonly folder: string;
  readonly name: string;
}

/** The packages of a lockfile of version 3, the project first. @throws ZodError */
export const readLockfile = (text: string): readonly LockedPackage[] =>
  Object.entries(lockfile.parse(JSON.parse(text)).packages).map(([folder, locked]) => ({
    ...locked,
    folder,
    name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
  }));

export const isInstalled = ({ folder }: LockedPackage): boolean => folder !== '';
