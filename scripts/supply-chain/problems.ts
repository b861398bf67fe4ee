import { isInstalled, type LockedPackage } from './lockfile';

const REGISTRY = 'https://registry.npmjs.org/';
const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;
/** Versions that the registry serves: ranges, tags and aliases. What names another place has a colon or a slash. */
const FROM_REGISTRY = /^(?:npm:(?:@[^/:]+\/)?[^/:]+@)?[^/:]*$/;

/**
 * Problems of a lockfile: packages from elsewhere than the npm registry, or without the hash of their content. A package
 * without `resolved` comes from the registry that npm is configured for, and is compared with the hash like the others.
 *
 * `withoutHash`: beginnings of the names of optional packages of development that may have none.
 */
export const lockfileProblems = (
  packages: readonly LockedPackage[],
  withoutHash: readonly string[] = [],
): readonly string[] =>
  packages.flatMap((locked) => [...sourceProblems(locked, withoutHash), ...dependencyProblems(locked)]);

function sourceProblems(locked: LockedPackage, withoutHash: readonly string[]): readonly string[] {
  const { folder, resolved, integrity, link } = locked;
  if (!isInstalled(locked)) return [];
  if (link === true) return [`${folder} is a link to a folder of this machine`];
  if (resolved !== undefined && !resolved.startsWith(REGISTRY)) return [`${folder} comes from ${resolved}`];
  if (integrity === undefined && isExempt(locked, withoutHash)) return [];
  return INTEGRITY.test(integrity ?? '') ? [] : [`${folder} has no integrity of the kind sha512`];
}

const isExempt = ({ dev, optional, name }: LockedPackage, withoutHash: readonly string[]): boolean =>
  dev && optional && withoutHash.some((start) => name.startsWith(start));

const dependencyProblems = (locked: LockedPackage): readonly string[] =>
  Object.entries({ ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies })
    // The packages of others are installed without their development dependencies.
    .filter(([name]) => !isInstalled(locked) || locked.devDependencies[name] === undefined)
    .filter(([, version]) => !FROM_REGISTRY.test(version))
    .map(
      ([name, version]) => `${locked.folder === '' ? 'package.json' : locked.folder} requires ${name} from ${version}`,
    );

/** Accepted licences, with the reason for each exception by the name of its package. */
export interface AcceptedLicences {
  readonly allowed: ReadonlySet<string>;
  readonly exceptions: Readonly<Record<string, { readonly licence: string; readonly reason: string }>>;
}

/**
 * Packages of production whose licence is not on the list, and exceptions without a package. The licence of an exception must be
 * the one that was examined; a package without one in its manifest has `none`.
 */
export function licenceProblems(
  packages: readonly LockedPackage[],
  { allowed, exceptions }: AcceptedLicences,
): readonly string[] {
  const inProduction = packages.filter((locked) => isInstalled(locked) && !locked.dev);
  const refused = inProduction.filter(({ license = 'none', name }) => {
    const exception = exceptions[name];
    return exception === undefined ? !isAllowed(license, allowed) : exception.licence !== license;
  });
  const names = new Set(inProduction.map(({ name }) => name));
  return [
    ...refused.map(({ folder, license = 'none' }) => `${folder} has the licence ${license}, which is not on the list`),
    ...unused(exceptions, names),
  ];
}

/** SPDX expressions of one level: of alternatives one must be allowed, of licences that apply together all. */
function isAllowed(expression: string, allowed: ReadonlySet<string>): boolean {
  const text = expression.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(text)) return false;
  return text.split(' OR ').some((alternative) => alternative.split(' AND ').every((licence) => allowed.has(licence)));
}

/**
 * Packages with an install script that was not examined, and examined ones that are not there any more. Install scripts are
 * never run, so a package that needs its script would be broken.
 *
 * `examined`: why the package works without its script, by name.
 */
export function installScriptProblems(
  packages: readonly LockedPackage[],
  examined: Readonly<Record<string, string>>,
): readonly string[] {
  const withScript = packages.filter(({ hasInstallScript }) => hasInstallScript);
  return [
    ...withScript
      .filter(({ name }) => examined[name] === undefined)
      .map(
        ({ folder }) => `${folder} has an install script: find out whether it works without, and add it to the list`,
      ),
    ...unused(examined, new Set(withScript.map(({ name }) => name))),
  ];
}

const unused = (listed: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): readonly string[] =>
  Object.keys(listed)
    .filter((name) => !names.has(name))
    .map((name) => `${name} is on the list without need: remove it`);

/** Lines of `.npmrc` that must be there. */
export const npmSettingProblems = (text: string): readonly string[] =>
  text.split('\n').includes('ignore-scripts=true') ? [] : ['.npmrc must have the line ignore-scripts=true'];
