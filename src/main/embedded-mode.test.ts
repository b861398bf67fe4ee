import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assertUnclaimed } from './data-directory-claim';
import { assertEmbeddedPackages } from './embedded-mode';
import { StartupError } from './startup-error';

test('an install without development packages is refused with the command that installs them', () => {
  expect(() => assertEmbeddedPackages()).not.toThrow();
  const refusal = (): void => assertEmbeddedPackages((name) => name !== 'litesvm');
  expect(refusal).toThrow(StartupError);
  expect(refusal).toThrow(/not installed: litesvm\. Run "npm ci"/);
});

test('a second start on a data directory is refused with the directory and the port to choose', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'claimed-'));
  expect(() => assertUnclaimed(directory)).not.toThrow();
  writeFileSync(path.join(directory, 'service.pid'), String(process.ppid));
  expect(() => assertUnclaimed(directory)).toThrow(
    /in use by the service .* AFLUENTE_DATA_DIR and another port with PORT/,
  );
});
