import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { DevnetError } from '../devnet-error';
import type { TransactionRecord } from './ledger';

/** An account that a transaction wrote; `null` when it closed it. Data in base64. */
export interface WrittenAccount {
  readonly address: string;
  readonly state: { readonly lamports: string; readonly owner: string; readonly data: string } | null;
}

/** One line: a transaction and what it left behind. */
export interface JournalEntry {
  readonly record: TransactionRecord;
  readonly written: readonly WrittenAccount[];
}

const beginningSchema = z.object({ seed: z.string(), genesisMs: z.number(), skipped: z.number() });
type Beginning = z.infer<typeof beginningSchema>;
const entrySchema = z.custom<JournalEntry>(
  (value) => z.object({ record: z.object({ slot: z.number() }) }).safeParse(value).success,
);

/**
 * What the chain keeps on disk: when it began, and every transaction, written before the response is sent. A kill of
 * the process loses no confirmed transaction; a crash of the machine may lose the last lines.
 */
export interface Journal {
  readonly beginning: Beginning;
  read(): readonly JournalEntry[];
  append(entry: JournalEntry): void;
  /** Forgets all but the first entries. */
  truncate(entries: number): void;
  noteSkipped(slots: number): void;
}

/** @throws DevnetError when the directory holds something else. */
export function openJournal(directory: string): Journal {
  mkdirSync(directory, { recursive: true });
  const [beginningFile, entriesFile] = [path.join(directory, 'genesis.json'), path.join(directory, 'ledger.jsonl')];
  let beginning = existsSync(beginningFile) ? readBeginning(beginningFile) : newBeginning();
  const save = (): void => replace(beginningFile, JSON.stringify(beginning));
  save();
  const read = (): readonly JournalEntry[] => (existsSync(entriesFile) ? readEntries(entriesFile) : []);
  // A line that the machine went down over would swallow the next one.
  replace(entriesFile, linesOf(read()));
  return {
    beginning,
    read,
    append: (entry) => appendFileSync(entriesFile, linesOf([entry])),
    truncate: (entries) => replace(entriesFile, linesOf(read().slice(0, entries))),
    noteSkipped(skipped) {
      beginning = { ...beginning, skipped };
      save();
    },
  };
}

const newBeginning = (): Beginning => ({ seed: randomBytes(16).toString('hex'), genesisMs: Date.now(), skipped: 0 });

function readBeginning(file: string): Beginning {
  const parsed = beginningSchema.safeParse(parsedLine(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new DevnetError(`${file} cannot be read: remove its directory to start anew`);
  return parsed.data;
}

/** Up to the first line that is not whole. */
function readEntries(file: string): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const parsed = entrySchema.safeParse(parsedLine(line));
    if (!parsed.success) break;
    entries.push(parsed.data);
  }
  return entries;
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

const linesOf = (entries: readonly JournalEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

function replace(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
