import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { INSTALL_SCRIPTS, LICENCES, WITHOUT_HASH } from './accepted';
import { type LockedPackage, readLockfile } from './lockfile';
import { installScriptProblems, licenceProblems, lockfileProblems, npmSettingProblems } from './problems';

const read = (file: string): string => readFileSync(path.join(PROJECT_ROOT, file), 'utf8');

const CHECKS: Readonly<Record<string, (packages: readonly LockedPackage[]) => readonly string[]>> = {
  lockfile: (packages) => lockfileProblems(packages, WITHOUT_HASH),
  licences: (packages) => licenceProblems(packages, LICENCES),
  installs: (packages) => [...installScriptProblems(packages, INSTALL_SCRIPTS), ...npmSettingProblems(read('.npmrc'))],
};

/** `main lockfile|licences|installs`: checks the packages of the lockfile. Ends with 1 when there are problems. */
function main([name = '']: readonly string[]): void {
  const problemsOf = CHECKS[name];
  if (problemsOf === undefined) {
    console.error(`Name one of the checks ${Object.keys(CHECKS).join(', ')}`);
    process.exit(2);
  }
  const problems = problemsOf(readLockfile(read('package-lock.json')));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

main(process.argv.slice(2));
