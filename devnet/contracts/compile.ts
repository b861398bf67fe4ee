import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { DevnetError } from '../devnet-error';
import { projectRoot } from '../project-root';

/*
 * Compiles `devnet/contracts/*.sol` into the committed `artifacts/`, so that starting the chains compiles nothing.
 * `--check` writes nothing and fails when an artifact is not what its source compiles to.
 */

const sourceDirectory = path.join(projectRoot(), 'devnet/contracts');
const artifactDirectory = path.join(sourceDirectory, 'artifacts');
const resolveFrom = createRequire(path.join(sourceDirectory, 'compile.ts'));

interface SolidityCompiler {
  compile(input: string, callbacks: { import(file: string): { contents: string } | { error: string } }): string;
}

const compilerOutput = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ abi: z.array(z.unknown()), evm: z.object({ bytecode: z.object({ object: z.string() }) }) }),
    ),
  ),
});

function compile(files: readonly string[]): z.infer<typeof compilerOutput> {
  const solc = resolveFrom('solc') as SolidityCompiler;
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(path.join(sourceDirectory, file), 'utf8') }]),
  );
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'cancun',
    // Without it a change of a comment would change the bytecode, and with it every token's address.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
  };
  const imports = (file: string) => ({ contents: readFileSync(resolveFrom.resolve(file), 'utf8') });
  const output = solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }), { import: imports });
  return compilerOutput.parse(JSON.parse(output));
}

/** File content by artifact path. @throws DevnetError with the compiler's messages. */
function artifacts(): ReadonlyMap<string, string> {
  const files = readdirSync(sourceDirectory).filter((file) => file.endsWith('.sol'));
  const output = compile(files);
  const failures = output.errors.filter(({ severity }) => severity === 'error');
  if (failures.length > 0) throw new DevnetError(failures.map((failure) => failure.formattedMessage).join('\n'));
  const written = new Map<string, string>();
  for (const file of files) {
    for (const [contractName, { abi, evm }] of Object.entries(output.contracts[file] ?? {})) {
      // An interface.
      if (evm.bytecode.object === '') continue;
      const artifact = { contractName, abi, bytecode: `0x${evm.bytecode.object}` };
      written.set(path.join(artifactDirectory, `${contractName}.json`), `${JSON.stringify(artifact, undefined, 2)}\n`);
    }
  }
  return written;
}

function currentContent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // not compiled yet
  }
}

function main(): void {
  const stale = [...artifacts()].filter(([file, content]) => currentContent(file) !== content);
  if (process.argv.includes('--check')) {
    for (const [file] of stale)
      console.error(`${path.relative(projectRoot(), file)} is not what its source compiles to`);
    process.exitCode = stale.length === 0 ? 0 : 1;
    return;
  }
  mkdirSync(artifactDirectory, { recursive: true });
  for (const [file, content] of stale) writeFileSync(file, content);
  console.log(`${String(stale.length)} artifacts written`);
}

main();
