import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Abi, type Address, type Hex, encodeDeployData, keccak256, stringToHex } from 'viem';
import { z } from 'zod';
import { DevnetError } from './devnet-error';
import { projectRoot } from './project-root';

export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const artifactFile = z.object({ abi: z.array(z.unknown()), bytecode: z.string() });
const multicallModule = z.object({ multicall3Bytecode: z.string() });

const requireFromProject = createRequire(path.join(projectRoot(), 'package.json'));

/** A contract as its authors compiled it: `@uniswap/v2-core/build/UniswapV2Factory.json`. */
export function packagedArtifact(file: string): Artifact {
  return artifactAt(requireFromProject.resolve(file));
}

/** A contract of `devnet/contracts`. */
export function ownArtifact(name: string): Artifact {
  return artifactAt(path.join(projectRoot(), 'devnet/contracts/artifacts', `${name}.json`));
}

/** A contract in a file of its own. */
export function artifactAt(file: string): Artifact {
  const { abi, bytecode } = artifactFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { abi: abi as Abi, bytecode: `0x${bytecode.replace(/^0x/, '')}` };
}

/** Init code of Multicall3: viem ships it for calls to it before it is deployed, but exports it to itself only. */
export function multicall3InitCode(): Hex {
  const file = path.join(path.dirname(requireFromProject.resolve('viem')), 'constants/contracts.js');
  return multicallModule.parse(requireFromProject(file)).multicall3Bytecode as Hex;
}

export function initCode(artifact: Artifact, args: readonly unknown[]): Hex {
  return encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args: [...args] });
}

/** Puts the address of the only library that a contract uses into its bytecode. */
export function linked(artifact: Artifact, library: Hex): Artifact {
  const bytecode = artifact.bytecode.replaceAll(/__\$[0-9a-f]{34}\$__/g, library.slice(2).toLowerCase());
  if (bytecode === artifact.bytecode) throw new DevnetError('the contract has no library to link');
  return { abi: artifact.abi, bytecode: bytecode as Hex };
}

/** Puts the addresses of several libraries, by their full names (`contracts/A.sol:A`), into the bytecode of a contract. */
export function linkedToAll(artifact: Artifact, libraries: Readonly<Record<string, Address>>): Artifact {
  const bytecode = Object.entries(libraries).reduce<string>(
    (code, [name, address]) =>
      code.replaceAll(`__$${keccak256(stringToHex(name)).slice(2, 36)}$__`, address.slice(2).toLowerCase()),
    artifact.bytecode,
  );
  if (bytecode.includes('__$')) throw new DevnetError('the contract needs further libraries');
  return { abi: artifact.abi, bytecode: bytecode as Hex };
}
