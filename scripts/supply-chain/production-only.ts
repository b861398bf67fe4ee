import { z } from 'zod';

const manifestSchema = z.looseObject({ overrides: z.record(z.string(), z.unknown()).default({}) });
const lockfileSchema = z.looseObject({
  packages: z.record(z.string(), z.looseObject({ dev: z.boolean().default(false) })),
});

/** An optional package of `jayson`, which npm installs in a newer version than it states, and reports as a problem. */
const ACCEPTED_VERSIONS = { jayson: { 'utf-8-validate': '6.0.6' } };

/** The manifest and the lockfile of an installation without development packages. @throws ZodError */
export function productionOnly(
  manifest: string,
  lockfile: string,
): Readonly<Record<'package.json' | 'package-lock.json', string>> {
  const { overrides, ...project } = manifestSchema.parse(JSON.parse(manifest));
  const locked = lockfileSchema.parse(JSON.parse(lockfile));
  const root = withoutDevelopment(locked.packages[''] ?? {});
  const packages = Object.entries(locked.packages).filter(([folder, { dev }]) => folder !== '' && !dev);
  return {
    'package.json': JSON.stringify({
      ...withoutDevelopment(project),
      overrides: { ...overrides, ...ACCEPTED_VERSIONS },
    }),
    'package-lock.json': JSON.stringify({ ...locked, packages: { '': root, ...Object.fromEntries(packages) } }),
  };
}

const withoutDevelopment = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'devDependencies'));
