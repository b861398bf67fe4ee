import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../src/config/project-root';

export interface GeneratedFile {
  readonly file: string;
  readonly content: string;
}

/** Writes generated files. With `--check` it only compares them, and fails when a file is out of date. */
export function keepGenerated(files: readonly GeneratedFile[]): void {
  const stale = files.filter(({ file, content }) => contentOf(file) !== content);
  const checking = process.argv.includes('--check');
  for (const { file, content } of stale) {
    if (!checking) writeFileSync(file, content);
    console.log(`${checking ? 'out of date' : 'wrote'}: ${path.relative(PROJECT_ROOT, file)}`);
  }
  if (checking && stale.length > 0) process.exitCode = 1;
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
