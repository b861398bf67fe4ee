// Puts the contracts of Aave V3.6, compiled from their package, into a cache that git ignores. The package has sources
// only, whose licence (BUSL-1.1) allows no production use until 2027-03-06: neither they nor their code are part of the project.
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { root } = require('../setup/install.cjs');

const PACKAGE = '@aave-dao/aave-v3-origin';
const VERSION = '3.6.0';
const INTEGRITY = 'sha512-TwK/TpTZGArN0G3AE+0NoafsaXc7BiXdZhYuxcD+8A5OjIGolp0cqu5FZcTDLo/pbavJvMU5v0php/LEJiJ/cQ==';
const cache = path.join(root, 'node_modules/.cache/aave-v3-origin', VERSION);

const logic = (name) => `protocol/libraries/logic/${name}.sol`;
/** The contracts of a market, by their files below `src/contracts`. */
const CONTRACTS = {
  ...Object.fromEntries(
    ['BorrowLogic', 'ConfiguratorLogic', 'FlashLoanLogic', 'LiquidationLogic', 'PoolLogic', 'SupplyLogic'].map(
      (name) => [name, logic(name)],
    ),
  ),
  PriceOracle: 'mocks/oracle/PriceOracle.sol',
  PoolAddressesProvider: 'protocol/configuration/PoolAddressesProvider.sol',
  ACLManager: 'protocol/configuration/ACLManager.sol',
  DefaultReserveInterestRateStrategyV2: 'misc/DefaultReserveInterestRateStrategyV2.sol',
  PoolInstance: 'instances/PoolInstance.sol',
  PoolConfiguratorInstance: 'instances/PoolConfiguratorInstance.sol',
  ATokenInstance: 'instances/ATokenInstance.sol',
  VariableDebtTokenInstance: 'instances/VariableDebtTokenInstance.sol',
};
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  remappings: ['openzeppelin-contracts/contracts/=@openzeppelin/contracts/'],
};
/** Limit of the chains, in bytes. */
const MAX_CODE = 24_576;

/** The sources of the package, fetched once through npm. @throws Error when they are not the expected ones. */
function sources() {
  const directory = path.join(cache, 'package/src/contracts');
  if (existsSync(directory)) return directory;
  mkdirSync(cache, { recursive: true });
  console.log(`Fetching ${PACKAGE} ${VERSION}.`);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(npm, ['pack', `${PACKAGE}@${VERSION}`, '--silent', '--pack-destination', cache], { cwd: cache });
  const [archive] = readdirSync(cache).filter((file) => file.endsWith('.tgz'));
  const file = path.join(cache, archive);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;
  if (integrity !== INTEGRITY)
    throw new Error(`${PACKAGE} ${VERSION} has the integrity ${integrity}, not ${INTEGRITY}`);
  execFileSync('tar', ['-xzf', file, '-C', cache]);
  rmSync(file);
  return directory;
}

/** Compiles the contracts, unless they are there. Returns the directory of their artifacts. */
function compileAave() {
  const artifacts = path.join(cache, 'artifacts');
  if (existsSync(artifacts)) return artifacts;
  const directory = sources();
  console.log(`Compiling ${PACKAGE} ${VERSION}: about a minute.`);
  const output = compile(directory);
  const failures = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const written = `${artifacts}.part`;
  rmSync(written, { recursive: true, force: true });
  mkdirSync(written);
  for (const [contractName, file] of Object.entries(CONTRACTS)) {
    const { abi, evm } = output.contracts[`contracts/${file}`][contractName];
    const size = evm.deployedBytecode.object.length / 2;
    if (size > MAX_CODE) throw new Error(`${contractName} has ${String(size)} bytes`);
    const artifact = { contractName, abi, bytecode: `0x${evm.bytecode.object}` };
    writeFileSync(path.join(written, `${contractName}.json`), JSON.stringify(artifact));
  }
  renameSync(written, artifacts);
  return artifacts;
}

function compile(directory) {
  const contents = (name) =>
    readFileSync(
      name.startsWith('contracts/') ? path.join(directory, name.slice('contracts/'.length)) : require.resolve(name),
      'utf8',
    );
  const files = Object.values(CONTRACTS).map((file) => `contracts/${file}`);
  const outputs = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'];
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((name) => [name, { content: contents(name) }])),
    settings: {
      ...SETTINGS,
      outputSelection: Object.fromEntries(
        Object.entries(CONTRACTS).map(([name, file]) => [`contracts/${file}`, { [name]: outputs }]),
      ),
    },
  };
  const callbacks = {
    import(name) {
      try {
        return { contents: contents(name) };
      } catch (error) {
        return { error: String(error) };
      }
    },
  };
  return JSON.parse(require('solc').compile(JSON.stringify(input), callbacks));
}

module.exports = { compileAave };
