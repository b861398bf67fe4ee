import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/config/project-root';
import { productionOnly } from './production-only';

const ARGUMENTS = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
const FILES = ['package.json', 'package-lock.json'] as const;

/**
 * Prints the packages of production as CycloneDX. `npm sbom --omit dev` alone leaves out packages that development requires as
 * well, so npm reads a manifest and a lockfile without development.
 */
function main(): void {
  const [manifest, lockfile] = FILES.map((file) => readFileSync(path.join(PROJECT_ROOT, file), 'utf8'));
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-sbom-'));
  try {
    const production = productionOnly(manifest ?? '', lockfile ?? '');
    for (const file of FILES) writeFileSync(path.join(directory, file), production[file]);
    const shell = process.platform === 'win32';
    console.log(execFileSync('npm', ARGUMENTS, { cwd: directory, encoding: 'utf8', maxBuffer: 1 << 26, shell }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

main();
