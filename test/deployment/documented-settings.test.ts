import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT_ROOT } from '../../src/config/project-root';

/** The commands of a page that write `.env`, with `secret` in place of the generated secrets. */
function commandsOf(page: string, secret: string): string {
  const text = readFileSync(path.join(PROJECT_ROOT, page), 'utf8');
  const [commands = ''] = /^\(\n[^]*?^cat > \.env <<END\n[^]*?^END\n\)$/m.exec(text) ?? [];
  return commands.replaceAll(/\$\(openssl rand -hex \d+\)/g, secret);
}

test.each(['README.md', 'docs/operations.md'])(
  'the commands of %s write secrets that other users of the machine cannot read, and keep those that exist',
  (page) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'documented-'));
    const run = (secret: string) => spawnSync('sh', ['-c', commandsOf(page, secret)], { cwd: folder }).status;
    const file = path.join(folder, '.env');
    expect(run('first')).toBe(0);
    const written = readFileSync(file, 'utf8');
    expect(written).toContain('API_KEY_PEPPER=first');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(run('second')).not.toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(written);
  },
);
