import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const RUN = path.resolve(__dirname, '../../scripts/run.cjs');

test.each([
  ['the service', ['src/main']],
  ['a command', ['src/admin/main', 'customer', 'list']],
])(
  '%s ends with a sentence for the operator, and no stack, when its file of settings cannot be read',
  async (_, args) => {
    const unreadable = mkdtempSync(path.join(tmpdir(), 'settings-'));
    const child = spawn(process.execPath, [RUN, ...args], {
      env: { ...process.env, DATABASE_URL: '', AFLUENTE_ENV_FILE: unreadable },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(errors).toContain(`The file ${unreadable} cannot be read: EISDIR`);
    expect(errors).not.toMatch(/^\s+at /m);
    expect(code).toBe(1);
  },
);
