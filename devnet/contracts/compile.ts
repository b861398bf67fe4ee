import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Address, getCreate2Address, type Hex, keccak256, stringToHex } from 'viem';
import { z } from 'zod';
import { CANONICAL } from '../canonical-addresses';
import { DevnetError } from '../devnet-error';
import { projectRoot } from '../project-root';

/*
 * Compiles `devnet/contracts/*.sol` into the committed `artifacts/`, so that starting the chains compiles nothing, and
 * `contracts/StrategyRouter.sol`, which deployments use, into a file of `src/`. `--check` writes nothing and fails when an
 * artifact is not what its source compiles to.
 */

const sourceDirectory = path.join(projectRoot(), 'devnet/contracts');
const productionDirectory = path.join(projectRoot(), 'contracts');
const ROUTER = 'StrategyRouter';
const routerFile = path.join(projectRoot(), 'src/chains/strategy-router.ts');
const artifactDirectory = path.join(sourceDirectory, 'artifacts');
const resolveFrom = createRequire(path.join(sourceDirectory, 'compile.ts'));

interface SolidityCompiler {
  compile(input: string, callbacks: { import(file: string): { contents: string } | { error: string } }): string;
}

const bytecodeSchema = z.object({ object: z.string() });
const compilerOutput = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        abi: z.array(z.unknown()),
        evm: z.object({ bytecode: bytecodeSchema, deployedBytecode: bytecodeSchema }),
      }),
    ),
  ),
});

const solidityFiles = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((file) => file.endsWith('.sol'))
    .map((file) => path.join(directory, file));

/** Paths of source files. */
function compile(files: readonly string[]): z.infer<typeof compilerOutput> {
  const solc = resolveFrom('solc') as SolidityCompiler;
  const sources = Object.fromEntries(
    files.map((file) => [path.basename(file), { content: readFileSync(file, 'utf8') }]),
  );
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    evmVersion: 'cancun',
    // Without it a change of a comment would change the bytecode, and with it every token's address.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  };
  const imports = (file: string) => ({ contents: readFileSync(resolveFrom.resolve(file), 'utf8') });
  const output = solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }), { import: imports });
  return compilerOutput.parse(JSON.parse(output));
}

/** File content by artifact path. @throws DevnetError with the compiler's messages. */
function artifacts(): ReadonlyMap<string, string> {
  const output = compile([...solidityFiles(sourceDirectory), ...solidityFiles(productionDirectory)]);
  const failures = output.errors.filter(({ severity }) => severity === 'error');
  if (failures.length > 0) throw new DevnetError(failures.map((failure) => failure.formattedMessage).join('\n'));
  const written = new Map<string, string>();
  const own = Object.entries(output.contracts).filter(([file]) => !file.startsWith('@'));
  for (const [, contracts] of own) {
    for (const [contractName, { abi, evm }] of Object.entries(contracts)) {
      // An interface.
      if (evm.bytecode.object === '') continue;
      if (contractName === ROUTER)
        written.set(routerFile, routerSource(`0x${evm.bytecode.object}`, `0x${evm.deployedBytecode.object}`));
      const artifact = { contractName, abi, bytecode: `0x${evm.bytecode.object}` };
      written.set(path.join(artifactDirectory, `${contractName}.json`), `${JSON.stringify(artifact, undefined, 2)}\n`);
    }
  }
  return written;
}

/** `src/chains/strategy-router.ts`. */
function routerSource(initCode: Hex, code: Hex): string {
  const salt = keccak256(stringToHex('afluente.StrategyRouter'));
  const address: Address = getCreate2Address({ from: CANONICAL.create2Factory, salt, bytecode: initCode });
  return `import type { Address, Hex } from 'viem';

/*
 * Written by devnet/contracts/compile.ts from contracts/StrategyRouter.sol. The address follows from the code: it is the same on
 * every chain, and another one after a change of the contract.
 */

/** Factory that deploys at an address which depends on salt and code alone. It has the same address on almost every chain. */
export const CREATE2_FACTORY: Address = '${CANONICAL.create2Factory}';

export const STRATEGY_ROUTER_ADDRESS: Address = '${address}';

/** Hash of the code at the address. */
export const STRATEGY_ROUTER_CODE_HASH: Hex = '${keccak256(code)}';

/** Calldata for the factory: the salt, and the code that deploys the router. */
export const STRATEGY_ROUTER_DEPLOYMENT: Hex =
  '${salt}${initCode.slice(2)}';
`;
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
