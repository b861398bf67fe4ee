import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes JSON atomically, readable only by the owner. */
export function writePrivateJson(file: string, value: unknown): void {
  const temporary = `${file}.${String(process.pid)}`;
  writeFileSync(temporary, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

/** The JSON of a file; `undefined` without the file or for invalid JSON. */
export function readJsonIfPresent(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
